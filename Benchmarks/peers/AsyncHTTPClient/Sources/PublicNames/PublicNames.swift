import AsyncHTTPClient
import Foundation
import HTTPClient
import HTTPTestServer
import Logging
import NIOCore
import NIOSSL

/// Every public type of this package, by its name alone.
///
/// The file compiles only if none of the other modules declares one of the names. `HouseTests` verifies that
/// no public type is missing here.
let publicTypes: [Any.Type] = [
    AcceptHeader.self, AddressPolicy.self, AddressRange.self, BodyBatch.self, BodyDecoder.self,
    BodyEncoder.self, BodyEvent.self, BodyFraming.self, BodyStep.self, ByteRange.self,
    ByteRangePart.self, CacheControl.self, CacheDirective.self, Challenge.self, ChunkedDecoder.self,
    ChunkedEncoder.self, CloseReason.self, ConnectionPersistence.self, ContentCoding.self,
    ContentDecoder.self, ContentDisposition.self, ContentRange.self, Cookie.self,
    CookieFileError.self, CookieFormat.self, CookieJar.self, CookiePair.self,
    CookieRejectionReason.self, CookieStorage.self, Diagnostic.self, EntityTag.self,
    EntityTagCondition.self, ExceededLimit.self, ExchangeEvent.self, ExchangeStep.self,
    FailedAddress.self, FieldName.self, FieldParameter.self, FieldWriter.self, ForeignProtocol.self,
    FramingAnalysis.self, HTTPAddressOverride.self, HTTPArchiveRecorder.self,
    HTTPAuthentication.self, HTTPAuthenticationFailureReason.self, HTTPAuthorization.self,
    HTTPBody.self, HTTPBodyFailureReason.self, HTTPBodyStream.self, HTTPCall<Int>.self,
    HTTPCallbackExecutor.self, HTTPCassette.self, HTTPCassetteError.self, HTTPCertificate.self,
    HTTPChallengeContext.self, HTTPCharset.self, HTTPClientConfiguration.self, HTTPClientQueue.self,
    HTTPClientService.self, HTTPClientSettings.self, HTTPClosureValidator.self,
    HTTPConnectOptions.self, HTTPConnectToRule.self, HTTPConnectionPool.self, HTTPContentType.self,
    HTTPContext.self, HTTPCounters.self, (any HTTPCredentialProvider).self, HTTPCredentials.self,
    HTTPDNSCacheOptions.self, HTTPDate.self, (any HTTPDecodableResponse).self,
    HTTPDedicatedConnection.self, HTTPDefaultValidator.self, HTTPDeviation.self,
    HTTPDownloadFailureAction.self, HTTPDownloadedFile.self, HTTPDuplexStream.self,
    HTTPEndpoint<Int>.self, HTTPError.self, HTTPEvent.self, HTTPEventLog.self,
    HTTPEventPublisher<Int>.self, HTTPField.self, HTTPFileError.self, HTTPFileOperation.self,
    HTTPHeaders.self, HTTPHistogram.self, (any HTTPInterceptor).self, HTTPInterceptorScope.self,
    HTTPInvalidRequestReason.self, HTTPJSON.self, (any HTTPJSONConvertible).self,
    HTTPJSONError.self, HTTPLogObserver.self, HTTPMethod.self, HTTPMetrics.self,
    HTTPMetricsObserver.self, HTTPNetrc.self, HTTPNetrcError.self, HTTPNext.self,
    (any HTTPObserver).self, HTTPObserverToken.self, (any HTTPParameterConvertible).self,
    HTTPParameterError.self, HTTPParameterStyle.self, HTTPParameterValue.self, HTTPParameters.self,
    HTTPPhase.self, HTTPPin.self, HTTPPinReporter.self, HTTPPinRule.self, HTTPPoolEvent.self,
    HTTPPoolSnapshot.self, HTTPPriority.self, HTTPProgress.self, HTTPProxy.self,
    HTTPProxyError.self, HTTPProxyExceptions.self, HTTPProxyFailureReason.self,
    HTTPProxyRejection.self, HTTPProxySetting.self, HTTPPublisher<Int>.self, HTTPQueryItem.self,
    HTTPRangeError.self, HTTPRedirect.self, HTTPRedirectFailureReason.self, HTTPRedirectMode.self,
    HTTPRedirectOptions.self, HTTPRefreshRequestValidator.self, HTTPRefreshTaskValidator<Int>.self,
    HTTPRequest.self, (any HTTPRequestConvertible).self, (any HTTPRequestProtocol).self,
    (any HTTPResolver).self, HTTPResponse.self, HTTPResponseParser<Int>.self,
    HTTPResponseTransformer.self, (any HTTPResponseValidator).self, HTTPResumeData.self,
    HTTPResumeDataError.self, HTTPResumeFailureReason.self, HTTPRetryDecision.self,
    HTTPRetryOptions.self, HTTPRetryStrategy.self, HTTPSecurity.self, HTTPSocketOptions.self,
    (any HTTPStagedInterceptor).self, HTTPStatus.self, HTTPStatusSet.self, HTTPStep.self,
    HTTPStreamedResponse.self, HTTPStub.self, HTTPStubFailureReason.self, HTTPStubs.self,
    HTTPStubsBuilder.self, (any HTTPTagKey).self, HTTPTags.self, HTTPTestServer.self,
    HTTPTextFailureReason.self, HTTPThroughput.self, HTTPTimeouts.self, HTTPTokenSource.self,
    HTTPTracingInterceptor.self, HTTPTrustEvaluator.self, HTTPUpgrade.self,
    HTTPValidationResult.self, HTTPVersion.self, IPAddress.self, InputBuffer.self,
    InternationalHostError.self, InvalidURIReason.self, MIMEType.self, MediaRange.self,
    MediaType.self, MessageExchange.self, MultipartByteranges.self, MultipartError.self,
    MultipartForm.self, MultipartFormError.self, Origin.self, ProtocolSwitch.self,
    PublicSuffixList.self, QualityValue.self, RangeHeader.self, RawHead.self, RawLine.self,
    RefusedAddress.self, RequestBodyAction.self, RequestEvent.self, RequestHead.self,
    RequestHeadDecoder.self, RequestHeadEncoder.self, RequestStep.self, RequestTarget.self,
    ResponseContent.self, ResponseHead.self, ResponseHeadDecoder.self, ResponseHeadEncoder.self,
    RetryAfter.self, SOCKS5Error.self, SameSite.self, ServerExchange.self, SetCookie.self,
    Strictness.self, TLSCertificateFailureReason.self, TLSFailureReason.self, TLSSessionInfo.self,
    URI.self, URITemplate.self, UncheckedWriter.self, UnixSocket.self, WebLink.self, WireError.self,
    WireLimits.self,
    // AsyncHTTPClient has a class of this name, so here it needs the module selector.
    HTTPClient::HTTPClient.self,
]
