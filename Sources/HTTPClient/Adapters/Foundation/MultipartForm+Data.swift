#if Foundation
public import FoundationEssentials
public import Wire

extension MultipartForm {
    /// Adds bytes; as ``add(bytes:name:fileName:contentType:)``.
    public mutating func add(
        data: Data,
        name: String,
        fileName: String? = nil,
        contentType: HTTPContentType? = nil
    ) {
        add(bytes: Array(data), name: name, fileName: fileName, contentType: contentType)
    }

    /// Adds a file, read while it is sent; as ``add(file:name:fileName:contentType:)``.
    ///
    /// - Parameters:
    ///   - fileURL: of a regular file; any other URL leads to `.invalidRequest(.bodyFile)`.
    ///   - name: of the field.
    ///   - fileName: default nil: the last part of the path.
    ///   - contentType: default nil: by the extension of the file name.
    public mutating func add(
        fileURL: URL,
        name: String,
        fileName: String? = nil,
        contentType: HTTPContentType? = nil
    ) {
        add(
            file: fileURL.isFileURL ? fileURL.path : fileURL.absoluteString,
            name: name,
            fileName: fileName,
            contentType: contentType
        )
    }

    /// Adds a file with fields of your own; as ``add(file:headers:)``.
    public mutating func add(fileStream: URL, headers: HTTPHeaders) {
        add(
            file: fileStream.isFileURL ? fileStream.path : fileStream.absoluteString,
            headers: headers
        )
    }
}
#endif
