import InMemoryTracing
import Tracing

/// A tracer that keeps spans in memory and injects the fields of W3C Trace Context.
struct TraceContextTracer: Tracer {
    typealias Span = InMemorySpan

    private let memory: InMemoryTracer

    init() {
        memory = InMemoryTracer()
    }

    var spans: [FinishedInMemorySpan] { memory.finishedSpans }

    static func field(_ context: ServiceContext) -> String? {
        context.inMemorySpanContext.map { "00-\($0.traceID)-\($0.spanID)-01" }
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> InMemorySpan {
        memory.startSpan(
            operationName,
            context: context(),
            ofKind: kind,
            at: instant(),
            function: function,
            file: fileID,
            line: line
        )
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let field = Self.field(context) else { return }
        injector.inject(field, forKey: "traceparent", into: &carrier)
        injector.inject("vendor=1", forKey: "tracestate", into: &carrier)
        // Fields that cannot be sent.
        injector.inject("1", forKey: "no token", into: &carrier)
        injector.inject("two\r\nlines", forKey: "baggage", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {}
}
