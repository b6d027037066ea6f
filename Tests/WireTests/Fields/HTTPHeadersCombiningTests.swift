import Testing
import Wire

@Suite struct HTTPHeadersCombiningTests {
    @Test func `fields are sorted by name and keep their order within a name`() {
        let headers: HTTPHeaders = ["b": "1", "X-A": "2", "B": "3", "accept": "4", "x-a": "5"]
        let sorted = headers.sortedByName
        #expect(sorted.map(\.name) == ["accept", "b", "B", "X-A", "x-a"])
        #expect(sorted.map(\.value) == ["4", "1", "3", "2", "5"])
        #expect(headers.first?.name == "b")
        #expect(HTTPHeaders().sortedByName.isEmpty)
    }

    @Test func `a sum replaces fields by those on the right`() {
        let sum = ["A": "1", "B": "2", "a": "3"] + (["b": "4", "C": "5", "c": "6"] as HTTPHeaders)
        #expect(sum == ["A": "1", "b": "4", "a": "3", "C": "5", "c": "6"])
    }

    @Test func `a dictionary has joined values, without Set-Cookie`() {
        let headers: HTTPHeaders = ["Via": "a", "Set-Cookie": "x=1", "via": "b", "Age": "3"]
        #expect(headers.dictionary == ["Via": "a, b", "Age": "3"])
        let dictionary = ["b": "2", "A": "1"]
        #expect(HTTPHeaders(dictionary) == ["A": "1", "b": "2"])
    }
}
