package import HTTPClient

/// The condition of `--time-cond`.
package struct TimeCondition: Sendable, Hashable {
    /// The date that a document is compared with.
    package let date: HTTPDate
    /// Whether older documents are wanted, and not newer ones.
    package let isBefore: Bool

    package init(date: HTTPDate, isBefore: Bool) {
        self.date = date
        self.isBefore = isBefore
    }

    /// Whether a document that was changed at that time is wanted; one of the same time never is.
    package func isMet(by changed: HTTPDate) -> Bool {
        isBefore ? changed < date : changed > date
    }
}
