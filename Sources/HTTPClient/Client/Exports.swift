// `HTTPMethod`, `HTTPStatus`, `HTTPHeaders` and `URI` are declared in Wire and belong to this
// module's face. A typealias would not do: a user who enables MemberImportVisibility could name the
// types but not reach their members.
@_exported public import Wire
