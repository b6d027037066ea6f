// The API of this module uses Wire's methods, statuses and headers. The re-export lets a test that
// imports only this module name them and use their members.
@_exported public import Wire
