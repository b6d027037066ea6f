package import SocketTransport

/// The rules for saving the journal of a download.
///
/// They are pure. The invariant: whatever power failure or kill interrupts a download, the journal on the
/// disk never counts bytes as reliable that are not those of the representation that it names.
package enum JournalRules {
    /// The numbers of new bytes after which something is saved.
    package struct Intervals: Sendable {
        /// After how many new bytes the journal is saved.
        ///
        /// 4 MiB: a killed process loses at most about that much, and saving costs a rename.
        package var save = 4 << 20
        /// After how many new bytes the partial file is synchronized.
        ///
        /// 64 MiB: a power failure loses about that much, and a disk needs about a second for it.
        package var sync = 64 << 20

        package init() {}
    }

    /// What follows after bytes were written.
    package enum Step: Sendable, Equatable {
        case nothing
        /// Save the journal.
        case save
        /// Synchronize the partial file, then save the journal.
        case syncAndSave
    }

    /// Returns what follows after bytes were written.
    ///
    /// - Parameters:
    ///   - written: the number of bytes in the file.
    ///   - saved: the number of bytes when the journal was saved last.
    ///   - synced: the number of bytes that were synchronized.
    ///   - policy: whether the partial file is synchronized at all.
    ///   - intervals: the distances between two steps.
    /// - Returns: the step.
    package static func step(
        written: Int,
        saved: Int,
        synced: Int,
        _ policy: HTTPDownloadOptions.SyncPolicy,
        _ intervals: Intervals
    ) -> Step {
        if policy == .beforeRename, written - synced >= intervals.sync { return .syncAndSave }
        return written - saved >= intervals.save ? .save : .nothing
    }

    /// Returns how durably a journal must be replaced before bytes of the file change.
    ///
    /// If the old journal counts bytes as synchronized that the new one does not, a power failure must not
    /// bring the old one back: its bytes may have been overwritten. If the new one counts them too, either may be
    /// there after a power failure, but not an empty file.
    ///
    /// - Parameters:
    ///   - old: the journal on the disk; nil if there is none that can be parsed.
    ///   - new: the journal that replaces it; nil if it is removed.
    /// - Returns: whether the replacement must survive a power failure.
    package static func durability(
        replacing old: DownloadJournal?,
        by new: DownloadJournal?
    ) -> JournalDurability {
        guard let old, !old.syncedRanges.isEmpty else { return .process }
        guard let new, new.inode == old.inode, new.origin == old.origin,
            new.validator == old.validator, new.total == old.total || old.total == nil,
            new.syncedRanges.contains(old.syncedRanges)
        else { return .power }
        return .content
    }
}
