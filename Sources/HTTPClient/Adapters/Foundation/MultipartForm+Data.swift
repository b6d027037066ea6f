#if Foundation
public import FoundationEssentials
public import Wire

extension MultipartForm {
    /// Adds bytes, as ``add(bytes:name:fileName:contentType:)`` does.
    public mutating func add(
        data: Data,
        name: String,
        fileName: String? = nil,
        contentType: HTTPContentType? = nil
    ) {
        add(bytes: Array(data), name: name, fileName: fileName, contentType: contentType)
    }

    /// Adds a file that is read while it is sent, as ``add(file:name:fileName:contentType:)`` does.
    ///
    /// - Parameters:
    ///   - fileURL: the URL of a regular file. Any other URL causes `.invalidRequest(.bodyFile)`.
    ///   - name: the name of the form field.
    ///   - fileName: the file name. Default nil: the last component of the path.
    ///   - contentType: the content type. Default nil: derived from the extension of the file name.
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

    /// Adds a file with custom header fields, as ``add(file:headers:)`` does.
    public mutating func add(fileStream: URL, headers: HTTPHeaders) {
        add(
            file: fileStream.isFileURL ? fileStream.path : fileStream.absoluteString,
            headers: headers
        )
    }
}
#endif
