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
}
