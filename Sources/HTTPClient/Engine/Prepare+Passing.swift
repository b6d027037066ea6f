extension Prepare {
    /// Says how an HTTP proxy passes a request on.
    enum Passing {
        /// As the proxy is set.
        case asSet
        /// In a tunnel, because more than a request is passed on.
        case tunnelled
    }
}
