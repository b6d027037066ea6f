// Requests and responses here are made of Wire's methods, statuses and headers; a test that imports
// this module alone can name them and reach their members.
@_exported public import Wire
