// `HTTPMethod`, `HTTPStatus`, `HTTPHeaders` and `URI` are declared in Wire and belong to the public
// API of this module. A typealias would not suffice: with MemberImportVisibility, a user could name
// the types but not access their members.
@_exported public import Wire
