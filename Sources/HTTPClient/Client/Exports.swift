// The types of these modules belong to the public API of this module, and each of its files uses them.
@_exported public import HTTPClientModel
@_exported public import HTTPClientPolicies
