package import HTTPClient

/// The condition of `--time-cond`.
package struct TimeCondition: Sendable, Hashable {
    /// The date that the document's date is compared with.
    package let date: HTTPDate
    /// Whether the condition asks for older documents instead of newer ones.
    package let isBefore: Bool

    package init(date: HTTPDate, isBefore: Bool) {
        self.date = date
        self.isBefore = isBefore
    }

    /// Whether a document with this modification date is wanted; an equal date never is.
    package func isMet(by changed: HTTPDate) -> Bool {
        isBefore ? changed < date : changed > date
    }

    /// Whether the date of a document fails the condition, which servers may ignore.
    package func isFailed(by status: HTTPStatus, _ headers: HTTPHeaders) -> Bool {
        guard status.kind == .successful,
            let changed = headers[.lastModified].flatMap({ HTTPDate($0) })
        else { return false }
        return !isMet(by: changed)
    }
}
