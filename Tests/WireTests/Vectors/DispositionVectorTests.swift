import Testing
import Wire

@Suite struct DispositionVectorTests {
    @Test(.tags(.rfc6266), arguments: dispositionVectors.indices)
    func `greenbytes: a value gives its file name`(index: Int) {
        let row = dispositionVectors[index]
        let value = ContentDisposition(row.text)
        #expect(value?.kind == row.kind, "\(row.name)")
        #expect(
            value?.fileName?.unicodeScalars.map(\.value)
                == row.fileName?.unicodeScalars.map(\.value),
            "\(row.name)"
        )
        // No file name of these cases may contain a path separator.
        #expect(value?.safeFileName?.contains { $0 == "/" || $0 == "\\" } != true, "\(row.name)")
    }

    @Test(arguments: [
        ("attabspath", "foo.html"), ("attabspathwin", "foo.html"),
        ("attwithfn2231abspathdisguised", "foo.html"),
    ])
    func `greenbytes: a path is turned into a safe file name`(name: String, safe: String) throws {
        let row = try #require(dispositionVectors.first { $0.name == name })
        #expect(ContentDisposition(row.text)?.safeFileName == safe)
    }
}
