// What a caller of a client needs of Wire belongs to the public API of HTTPClient, and so do the values of
// SocketTransport such as `IPAddress`. A typealias would not suffice: with MemberImportVisibility, a user could name
// the types but not access their members. SocketTransport is named as a whole: the documentation of single types would
// lack those that are nested in them by extensions. Parsers, encoders and the analysis of messages need `import Wire`.
@_exported public import SocketTransport

@_exported public import struct Wire.AcceptHeader
@_exported public import enum Wire.ByteRange
@_exported public import struct Wire.CacheControl
@_exported public import enum Wire.ContentCoding
@_exported public import struct Wire.ContentDisposition
@_exported public import enum Wire.ContentRange
@_exported public import struct Wire.Diagnostic
@_exported public import struct Wire.EntityTag
@_exported public import enum Wire.ExceededLimit
@_exported public import struct Wire.FieldName
@_exported public import struct Wire.FieldParameter
@_exported public import struct Wire.HTTPDate
@_exported public import struct Wire.HTTPField
@_exported public import struct Wire.HTTPHeaders
@_exported public import struct Wire.HTTPMethod
@_exported public import enum Wire.HTTPRecordError
@_exported public import struct Wire.HTTPServerSentEvent
@_exported public import struct Wire.HTTPStatus
@_exported public import struct Wire.HTTPVersion
@_exported public import enum Wire.InternationalHostError
@_exported public import enum Wire.InvalidURIReason
@_exported public import struct Wire.MediaRange
@_exported public import struct Wire.MediaType
@_exported public import enum Wire.MultipartError
@_exported public import struct Wire.Origin
@_exported public import struct Wire.QualityValue
@_exported public import struct Wire.RangeHeader
@_exported public import struct Wire.RequestHead
@_exported public import struct Wire.ResponseHead
@_exported public import enum Wire.RetryAfter
@_exported public import struct Wire.SetCookie
@_exported public import enum Wire.Strictness
@_exported public import struct Wire.URI
@_exported public import struct Wire.WebLink
@_exported public import enum Wire.WireError
@_exported public import struct Wire.WireLimits
