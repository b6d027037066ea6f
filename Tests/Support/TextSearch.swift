internal import Glibc

extension String {
    /// Returns whether the text has the bytes of another one; the search of the C library is fast in debug builds too.
    ///
    /// Bytes behind a NUL are not searched.
    package func mentions(_ part: String) -> Bool {
        // SAFETY: the compiler passes both texts with a NUL at their end, and they live until the call returns.
        unsafe strstr(self, part) != nil
    }
}
