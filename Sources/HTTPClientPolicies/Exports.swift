// Each file of this module uses the types of HTTPClientModel.
@_exported public import HTTPClientModel
