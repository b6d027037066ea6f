// Values such as `HTTPMethod` and `HTTPHeaders` are declared in Wire, and those such as `IPAddress` in
// SocketTransport. Both belong to the public API of this module. A typealias would not suffice: with
// MemberImportVisibility, a user could name the types but not access their members.
@_exported public import SocketTransport
@_exported public import Wire
