import AsyncHTTPClient
import Foundation
import HTTPClient
import HTTPClientReports
import HTTPClientTesting
import HTTPTestServer
import Logging
import NIOCore
import NIOSSL
import Wire
import WireForensics

/// Every public type of this package, by its name alone.
///
/// The file compiles only if none of the other modules declares one of the names. A name in an expression would
/// not do: the compiler takes one of two types there without an error. `scripts/record` writes the names, and
/// `make check` compiles them.
enum PublicNames {
    typealias OurAcceptHeader = AcceptHeader
    typealias OurAddressPolicy = AddressPolicy
    typealias OurAddressRange = AddressRange
    typealias OurBodyBatch = BodyBatch
    typealias OurBodyDecoder = BodyDecoder
    typealias OurBodyEncoder = BodyEncoder
    typealias OurBodyEvent = BodyEvent
    typealias OurBodyFraming = BodyFraming
    typealias OurBodyStep = BodyStep
    typealias OurByteRange = ByteRange
    typealias OurCacheControl = CacheControl
    typealias OurChallenge = Challenge
    typealias OurChunkedDecoder = ChunkedDecoder
    typealias OurChunkedEncoder = ChunkedEncoder
    typealias OurCloseReason = CloseReason
    typealias OurConnectionPersistence = ConnectionPersistence
    typealias OurContentCoding = ContentCoding
    typealias OurContentDecoder = ContentDecoder
    typealias OurContentDisposition = ContentDisposition
    typealias OurContentRange = ContentRange
    typealias OurCookie = Cookie
    typealias OurCookieJar = CookieJar
    typealias OurCookiePair = CookiePair
    typealias OurDiagnostic = Diagnostic
    typealias OurEntityTag = EntityTag
    typealias OurExceededLimit = ExceededLimit
    typealias OurExchangeEvent = ExchangeEvent
    typealias OurExchangeStep = ExchangeStep
    typealias OurFieldName = FieldName
    typealias OurFieldParameter = FieldParameter
    typealias OurFieldWriter = FieldWriter
    typealias OurForeignProtocol = ForeignProtocol
    typealias OurFramingAnalysis = FramingAnalysis
    typealias OurHTTPArchiveRecorder = HTTPArchiveRecorder
    typealias OurHTTPAuthentication = HTTPAuthentication
    typealias OurHTTPAuthorization = HTTPAuthorization
    typealias OurHTTPBody = HTTPBody
    typealias OurHTTPBodyStream = HTTPBodyStream
    typealias OurHTTPBodyTransformer = any HTTPBodyTransformer
    typealias OurHTTPCache = HTTPCache
    typealias OurHTTPCall = HTTPCall<Int>
    typealias OurHTTPCallbackExecutor = HTTPCallbackExecutor
    typealias OurHTTPCassette = HTTPCassette
    typealias OurHTTPCassetteError = HTTPCassetteError
    typealias OurHTTPCertificate = HTTPCertificate
    typealias OurHTTPCharset = HTTPCharset
    typealias OurHTTPClient = HTTPClient::HTTPClient
    typealias OurHTTPClientConfiguration = HTTPClientConfiguration
    typealias OurHTTPClientQueue = HTTPClientQueue
    typealias OurHTTPClientService = HTTPClientService
    typealias OurHTTPClientSettings = HTTPClientSettings
    typealias OurHTTPClosureValidator = HTTPClosureValidator
    typealias OurHTTPConnectOptions = HTTPConnectOptions
    typealias OurHTTPConnectionPool = HTTPConnectionPool
    typealias OurHTTPContentType = HTTPContentType
    typealias OurHTTPContext = HTTPContext
    typealias OurHTTPCounters = HTTPCounters
    typealias OurHTTPCredentialProvider = any HTTPCredentialProvider
    typealias OurHTTPCredentials = HTTPCredentials
    typealias OurHTTPDNSCacheOptions = HTTPDNSCacheOptions
    typealias OurHTTPDate = HTTPDate
    typealias OurHTTPDecodableResponse = any HTTPDecodableResponse
    typealias OurHTTPDedicatedConnection = HTTPDedicatedConnection
    typealias OurHTTPDefaultValidator = HTTPDefaultValidator
    typealias OurHTTPDialRequest = HTTPDialRequest
    typealias OurHTTPDialer = any HTTPDialer
    typealias OurHTTPDigest = HTTPDigest
    typealias OurHTTPDownloadOptions = HTTPDownloadOptions
    typealias OurHTTPDownloadedFile = HTTPDownloadedFile
    typealias OurHTTPDuplexStream = HTTPDuplexStream
    typealias OurHTTPEndpoint = HTTPEndpoint<Int>
    typealias OurHTTPError = HTTPError
    typealias OurHTTPEventLog = HTTPEventLog
    typealias OurHTTPEventOptions = HTTPEventOptions
    typealias OurHTTPEventPublisher = HTTPEventPublisher<Int>
    typealias OurHTTPField = HTTPField
    typealias OurHTTPFilePath = any HTTPFilePath
    typealias OurHTTPHeaders = HTTPHeaders
    typealias OurHTTPInterceptor = any HTTPInterceptor
    typealias OurHTTPInterceptorResult = HTTPInterceptorResult
    typealias OurHTTPInterceptorScope = HTTPInterceptorScope
    typealias OurHTTPJSON = HTTPJSON
    typealias OurHTTPLogObserver = HTTPLogObserver
    typealias OurHTTPMethod = HTTPMethod
    typealias OurHTTPMetrics = HTTPMetrics
    typealias OurHTTPMetricsObserver = HTTPMetricsObserver
    typealias OurHTTPNetrc = HTTPNetrc
    typealias OurHTTPNext = HTTPNext
    typealias OurHTTPObserver = any HTTPObserver
    typealias OurHTTPObserverToken = HTTPObserverToken
    typealias OurHTTPParameters = HTTPParameters
    typealias OurHTTPPart = HTTPPart
    typealias OurHTTPPhase = HTTPPhase
    typealias OurHTTPPin = HTTPPin
    typealias OurHTTPPoolEvent = HTTPPoolEvent
    typealias OurHTTPPoolSnapshot = HTTPPoolSnapshot
    typealias OurHTTPPriority = HTTPPriority
    typealias OurHTTPProgress = HTTPProgress
    typealias OurHTTPProxy = HTTPProxy
    typealias OurHTTPPublisher = HTTPPublisher<Int>
    typealias OurHTTPQueryItem = HTTPQueryItem
    typealias OurHTTPRateLimit = HTTPRateLimit
    typealias OurHTTPRecordError = HTTPRecordError
    typealias OurHTTPRecordStream = HTTPRecordStream<Int>
    typealias OurHTTPRedirect = HTTPRedirect
    typealias OurHTTPRedirectOptions = HTTPRedirectOptions
    typealias OurHTTPRefreshValidator = HTTPRefreshValidator<Int>
    typealias OurHTTPRequest = HTTPRequest
    typealias OurHTTPRequestConvertible = any HTTPRequestConvertible
    typealias OurHTTPRequestProtocol = any HTTPRequestProtocol
    typealias OurHTTPResolver = any HTTPResolver
    typealias OurHTTPResponse = HTTPResponse
    typealias OurHTTPResponseParser = HTTPResponseParser<Int>
    typealias OurHTTPResponseTransformer = HTTPResponseTransformer
    typealias OurHTTPResponseValidator = any HTTPResponseValidator
    typealias OurHTTPResumeData = HTTPResumeData
    typealias OurHTTPRetryOptions = HTTPRetryOptions
    typealias OurHTTPSecurity = HTTPSecurity
    typealias OurHTTPServerSentEvent = HTTPServerSentEvent
    typealias OurHTTPSocketOptions = HTTPSocketOptions
    typealias OurHTTPStagedInterceptor = any HTTPStagedInterceptor
    typealias OurHTTPStatus = HTTPStatus
    typealias OurHTTPStatusSet = HTTPStatusSet
    typealias OurHTTPStep = HTTPStep
    typealias OurHTTPStreamedResponse = HTTPStreamedResponse
    typealias OurHTTPStub = HTTPStub
    typealias OurHTTPStubError = HTTPStubError
    typealias OurHTTPStubFailureReason = HTTPStubFailureReason
    typealias OurHTTPStubs = HTTPStubs
    typealias OurHTTPStubsBuilder = HTTPStubsBuilder
    typealias OurHTTPTags = HTTPTags
    typealias OurHTTPTestServer = HTTPTestServer
    typealias OurHTTPTimeouts = HTTPTimeouts
    typealias OurHTTPTokenSource = HTTPTokenSource
    typealias OurHTTPTracingInterceptor = HTTPTracingInterceptor
    typealias OurHTTPTrustEvaluator = HTTPTrustEvaluator
    typealias OurHTTPUpgrade = HTTPUpgrade
    typealias OurHTTPValidationResult = HTTPValidationResult
    typealias OurHTTPVersion = HTTPVersion
    typealias OurIPAddress = IPAddress
    typealias OurInputBuffer = InputBuffer
    typealias OurInternationalHostError = InternationalHostError
    typealias OurInvalidURIReason = InvalidURIReason
    typealias OurMediaRange = MediaRange
    typealias OurMediaType = MediaType
    typealias OurMessageExchange = MessageExchange
    typealias OurMultipartError = MultipartError
    typealias OurMultipartForm = MultipartForm
    typealias OurOrigin = Origin
    typealias OurProtocolSwitch = ProtocolSwitch
    typealias OurPublicSuffixList = PublicSuffixList
    typealias OurQualityValue = QualityValue
    typealias OurRangeHeader = RangeHeader
    typealias OurRawHead = RawHead
    typealias OurRawLine = RawLine
    typealias OurRequestBodyAction = RequestBodyAction
    typealias OurRequestEvent = RequestEvent
    typealias OurRequestHead = RequestHead
    typealias OurRequestHeadDecoder = RequestHeadDecoder
    typealias OurRequestHeadEncoder = RequestHeadEncoder
    typealias OurRequestStep = RequestStep
    typealias OurRequestTarget = RequestTarget
    typealias OurResponseContent = ResponseContent
    typealias OurResponseHead = ResponseHead
    typealias OurResponseHeadDecoder = ResponseHeadDecoder
    typealias OurResponseHeadEncoder = ResponseHeadEncoder
    typealias OurRetryAfter = RetryAfter
    typealias OurServerExchange = ServerExchange
    typealias OurSetCookie = SetCookie
    typealias OurStrictness = Strictness
    typealias OurTLSFailureReason = TLSFailureReason
    typealias OurTLSSessionInfo = TLSSessionInfo
    typealias OurURI = URI
    typealias OurURITemplate = URITemplate
    typealias OurUncheckedWriter = UncheckedWriter
    typealias OurUnixSocket = UnixSocket
    typealias OurWebLink = WebLink
    typealias OurWireError = WireError
    typealias OurWireLimits = WireLimits
}
