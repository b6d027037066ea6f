import ClientSupport
import HTTPClient
import Testing

@Suite struct URITemplateTests {
    @Test(arguments: URITemplateVectors.rows)
    func `the examples of RFC 6570 are expanded`(row: URITemplateVectors.Row) throws {
        let template = try URITemplate(row.template)
        #expect(try template.expand(URITemplateVectors.variables) == row.expansion)
    }

    @Test(arguments: [
        // Cases beyond the RFC's examples: names, prefixes, characters, undefined values.
        ("{last.name}", "Doe"), ("{a_b}", "1"), ("{%20}", "space"), ("{semi:2}", "%3B"),
        ("find{?year*}", "find?year=1965&year=2000&year=2012"),
        ("/mapper{?address*}", "/mapper?city=Newport%20Beach&state=CA"),
        ("/{id*}", "/person"), ("{/id*}{?last.name,none}", "/person?last.name=Doe"),
        ("{uni}", "%C3%BC%F0%9F%98%80x"), ("{uni:2}", "%C3%BC%F0%9F%98%80"), ("{+uni:1}", "%C3%BC"),
        ("{+triplet:2}", "a%20"), ("{triplet:2}", "a%25"), ("{+triplet}", "a%20b%25zz"),
        ("/ü{id}", "/%C3%BCperson"), ("/%C3%BC'{id}", "/%C3%BC'person"),
        ("{number}{?real,yes,no}", "-7?real=0.1&yes=true&no=false"),
        ("{?mixed*}", "?mixed=1&mixed=x"), ("{?mixed}", "?mixed=1,x"), ("{?gaps*}", "?b=2"),
        ("{?day}", "?day=1994-11-06T08%3A49%3A37Z"), ("", ""), ("plain", "plain"),
        ("{?none,nothing*}", ""), ("{keys*}", "a%26b=1"), ("{?keys*}", "?a%26b=1"),
        ("{;keys*}{?empties*}", ";a%26b=1?e=&f="), ("{;empties*}", ";e;f"),
        ("{var:9999}", "v"),
    ])
    func `variables of every kind are expanded`(template: String, expansion: String) throws {
        let address: HTTPParameters = ["city": "Newport Beach", "state": "CA"]
        let variables: [String: any HTTPParameters.Convertible] = [
            "last.name": "Doe", "a_b": 1, "%20": "space", "semi": ";", "id": ["person"],
            "year": ["1965", "2000", "2012"], "address": address, "uni": "ü😀x",
            "triplet": "a%20b%zz", "number": -7, "real": 0.1, "yes": true, "no": false,
            "mixed": HTTPParameters.ParameterValue.array([1, .null, "x"]),
            "gaps": HTTPParameters([("a", HTTPParameters.ParameterValue.null), ("b", 2)]),
            "day": HTTPParameters.ParameterValue.date(secondsSince1970: 784_111_777),
            "none": String?.none,
            "nothing": [String](), "keys": ["a&b": 1], "empties": ["f": "", "e": ""], "var": "v",
        ]
        #expect(try URITemplate(template).expand(variables) == expansion)
    }

    @Test(arguments: [
        ("{/id*", URITemplate.TemplateError.unclosedExpression(offset: 0)),
        ("/id*}", .invalidLiteral(offset: 4)), ("{/?id}", .invalidVariableName(offset: 2)),
        ("{var:prefix}", .invalidPrefix(offset: 5)), ("{hello:2*}", .invalidModifier(offset: 8)),
        ("{??hello}", .invalidVariableName(offset: 2)), ("{!hello}", .reservedOperator(offset: 1)),
        ("{with space}", .invalidVariableName(offset: 5)),
        ("{ leading_space}", .invalidVariableName(offset: 1)),
        ("{trailing_space }", .invalidVariableName(offset: 15)),
        ("{=path}", .reservedOperator(offset: 1)), ("{$var}", .invalidVariableName(offset: 1)),
        ("{|var*}", .reservedOperator(offset: 1)), ("{,a}", .reservedOperator(offset: 1)),
        ("{@a}", .reservedOperator(offset: 1)), ("{*keys?}", .invalidVariableName(offset: 1)),
        ("{?empty=default,var}", .invalidVariableName(offset: 7)),
        ("{var}{-prefix|/-/|var}", .invalidVariableName(offset: 6)),
        ("?q={searchTerms}&amp;c={example:color?}", .invalidPrefix(offset: 32)),
        ("x{?empty|foo=none}", .invalidVariableName(offset: 8)),
        ("/h{#hello+}", .invalidVariableName(offset: 9)),
        ("/h#{hello+}", .invalidVariableName(offset: 9)),
        ("?{-join|&|var,list}", .invalidVariableName(offset: 2)),
        ("/people/{~thing}", .invalidVariableName(offset: 9)),
        ("/{default-graph-uri}", .invalidVariableName(offset: 9)),
        ("/sparql{?query,default-graph-uri}", .invalidVariableName(offset: 22)),
        ("/sparql{?query){&default-graph-uri*}", .invalidVariableName(offset: 14)),
        ("/resolution{?x, y}", .invalidVariableName(offset: 15)),
        ("{}", .missingVariable(offset: 1)), ("{?}", .missingVariable(offset: 2)),
        ("{a,}", .missingVariable(offset: 3)), ("{a,,b}", .missingVariable(offset: 3)),
        ("{", .unclosedExpression(offset: 0)), ("x{a", .unclosedExpression(offset: 1)),
        ("x{a,", .unclosedExpression(offset: 1)), ("x{?", .unclosedExpression(offset: 1)),
        ("x{a:3", .unclosedExpression(offset: 1)), ("{a{b}}", .invalidVariableName(offset: 2)),
        ("{.a.}", .invalidVariableName(offset: 3)), ("{a..b}", .invalidVariableName(offset: 3)),
        ("{..a}", .invalidVariableName(offset: 2)), ("{a%2}", .invalidPercentTriplet(offset: 2)),
        ("{a:0}", .invalidPrefix(offset: 3)), ("{a:10000}", .invalidPrefix(offset: 3)),
        ("{a:}", .invalidPrefix(offset: 3)), ("{a:+1}", .invalidPrefix(offset: 3)),
        ("{a:1:2}", .invalidModifier(offset: 4)), ("{a**}", .invalidModifier(offset: 3)),
        ("a b", .invalidLiteral(offset: 1)), ("a\"", .invalidLiteral(offset: 1)),
        ("ü\n", .invalidLiteral(offset: 2)), ("100%", .invalidPercentTriplet(offset: 3)),
        ("%zz{a}", .invalidPercentTriplet(offset: 0)), ("a\\", .invalidLiteral(offset: 1)),
        ("{ü}", .invalidVariableName(offset: 1)),
    ])
    func `an invalid template is rejected with its offset`(
        text: String,
        reason: URITemplate.TemplateError
    ) {
        #expect(invalidReason { try URITemplate(text) } == .template(text, reason))
    }

    @Test(arguments: [
        ("{keys:1}", URITemplate.TemplateError.prefixOfComposite(variable: "keys")),
        ("{+keys:1}", .prefixOfComposite(variable: "keys")),
        ("{list:1}", .prefixOfComposite(variable: "list")),
        ("{?nested}", .nestedValue(variable: "nested")),
        ("{bad}", .invalidValue(variable: "bad", .notANumber)),
        ("{bads}", .invalidValue(variable: "bads", .infinite)),
    ])
    func `a variable that a template cannot expand is rejected`(
        text: String,
        reason: URITemplate.TemplateError
    ) throws {
        let variables: [String: any HTTPParameters.Convertible] = [
            "keys": ["a": "b"], "list": ["a"], "nested": [["a"]], "bad": Double.nan,
            "bads": [1.5, Double.infinity],
        ]
        let template = try URITemplate(text)
        #expect(invalidReason { try template.expand(variables) } == .template(text, reason))
    }

    @Test func `a template lists its variables`() throws {
        let template = try URITemplate("{a}{/b*,a:3}{?c.d}")
        #expect(template.variables == ["a", "b", "c.d"])
        #expect(template.description == "{a}{/b*,a:3}{?c.d}")
        #expect(try template == URITemplate("{a}{/b*,a:3}{?c.d}"))
        #expect(try Set([template, URITemplate("{a}")]).count == 2)
    }

    // MARK: - Matching

    /// A template, a URI, and the values that expand to it.
    struct Reading: Sendable {
        let template: String
        let uri: String
        let values: [String: HTTPParameters.ParameterValue]

        init(_ template: String, _ uri: String, _ values: [String: HTTPParameters.ParameterValue]) {
            self.template = template
            self.uri = uri
            self.values = values
        }
    }

    private static let readings: [Reading] = [
        Reading("{id}", "7", ["id": "7"]), Reading("/users/{id}", "/users/a%2Fb", ["id": "a/b"]),
        Reading(
            "{+base}/users/{id}",
            "http://h/users/users/5",
            ["base": "http://h/users", "id": "5"]
        ),
        Reading("/a{/x,y}", "/a/1/2", ["x": "1", "y": "2"]),
        Reading("/a{/x,y}", "/a/1", ["x": "1"]),
        Reading("/a{/x,y}", "/a", [:]), Reading("/a{/x}", "/a/", ["x": ""]),
        Reading("/a{/x*}", "/a/1/2/3", ["x": ["1", "2", "3"]]),
        Reading("/a{/x*}/end", "/a/1/2/end", ["x": ["1", "2"]]),
        Reading("{x}", "1,2", ["x": ["1", "2"]]),
        Reading("{?a,b}", "?b=2&a=1", ["a": "1", "b": "2"]), Reading("{?a,b}", "", [:]),
        Reading("{?a*}", "?a=1&a=2", ["a": ["1", "2"]]),
        Reading("{?a*}", "?x=1&y=2", ["a": ["x": "1", "y": "2"]]),
        Reading("/s{?a}{&b}", "/s?a=1&b=2", ["a": "1", "b": "2"]),
        Reading("/s?q=1{&b}", "/s?q=1", [:]),
        Reading("{;a,b}", ";a;b=2", ["a": "", "b": "2"]),
        Reading("f{#x}", "f#a/b?c%20", ["x": "a/b?c%20"]),
        Reading("www{.dom*}", "www.example.com", ["dom": ["example", "com"]]),
        Reading("{a:1}/{a}", "v/value", ["a": "value"]), Reading("{a:3}", "val", ["a": "val"]),
        Reading("/%C3%bc/{x}", "/ü/%c3%bc", ["x": "ü"]),
        Reading("{x*}", "a=1,b=2", ["x": ["a": "1", "b": "2"]]),
        Reading("{x}-{y}", "1-2", ["x": "1", "y": "2"]), Reading("plain", "plain", [:]),
        Reading("{a}/{a}", "x/x", ["a": "x"]),
        Reading("{x}{?y}", "1?y=a%2Bb", ["x": "1", "y": "a+b"]),
        Reading("/{x}.json", "/a.b.json", ["x": "a.b"]),
    ]

    @Test(arguments: readings) func `matching a URI gives the variables that produced it`(
        row: Reading
    ) throws {
        #expect(try URITemplate(row.template).match(row.uri) == row.values)
    }

    @Test(arguments: [
        ("{a}{b}", "xy"), ("{x}-{y}", "1-2-3"), ("{/a}{/b}", "/1"), ("/users/{id}", "/users/a/b"),
        ("/users/{id}", "/user/1"), ("{?a}", "?b=1"), ("{?a}", "?a=1&a=2"), ("{?a}", "?a=1&b=2"),
        ("{a}/{a}", "x/y"), ("{a:1}/{a}", "x/value"), ("{a:2}", "abc"), ("{x}", "%ff"),
        ("X{.keys*}", "X.dot=..comma=%2C"),
        ("{x}", "a%"), ("{x}", "a b"), ("{x}", "?"), ("{x}", "a+b"), ("", "x"), ("plain", "plai"),
        ("{x,y}", "1,2,3"),
        ("{/x,y}", "/1/2/3"), ("{/x*,y}", "/1/2"), ("{+x}{+y}", "ab"), ("{?a}", "?ab=1"),
    ])
    func `a URI that does not match, or matches ambiguously, gives nil`(
        template: String,
        uri: String
    ) throws {
        #expect(try URITemplate(template).match(uri) == nil)
    }

    @Test(arguments: URITemplateVectors.rows)
    func `matched values expand to the same URI`(row: URITemplateVectors.Row) throws {
        let template = try URITemplate(row.template)
        guard let values = template.match(row.expansion) else { return }
        #expect(try template.expand(values) == row.expansion)
    }

    @Test func `more than three quarters of the RFC examples can be matched`() throws {
        let readable = try URITemplateVectors.rows.filter {
            try URITemplate($0.template).match($0.expansion) != nil
        }
        #expect(readable.count > URITemplateVectors.rows.count * 3 / 4)
    }

    @Test(.timeLimit(.minutes(10))) func `a long URI is matched in linear time`() throws {
        let template = try URITemplate("{a}{b}{/c*}{?d,e}{f}{g}")
        #expect(template.match(String(repeating: "a/?e=;", count: 20_000)) == nil)
        let one = try URITemplate("{+a}/end{?b*}")
        let path = String(repeating: "/x", count: 50_000)
        #expect(one.match(path + "/end?b=1") == ["a": .string(path), "b": ["1"]])
    }
}
