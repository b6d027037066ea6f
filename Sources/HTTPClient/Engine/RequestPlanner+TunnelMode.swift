extension RequestPlanner {
    /// Says how an HTTP proxy passes a request on.
    enum TunnelMode {
        /// As the proxy is set.
        case asConfigured
        /// In a tunnel, because more than a request is passed on.
        case tunneled
    }
}
