/// Every place of a secret, and everything that breaks lines, for the tests of all texts that programs log or store.
package enum LoggedSecrets {
    package static let secret = "hunter2"

    /// URLs with a secret.
    package static let urls = [
        "http://user:hunter2@127.0.0.1:1/a", "http://hunter2@127.0.0.1:1/a",
        "http://127.0.0.1:1/a?access_token=hunter2&x=1",
        "http://127.0.0.1:1/a?x=1&X-Amz-Signature=hunter2",
        "http://127.0.0.1:1/a?sig=hunter2", "http://127.0.0.1:1/a?user[password]=hunter2",
        "http://127.0.0.1:1/a?api%5Fkey=hunter2", "http://127.0.0.1:1/a#id_token=hunter2",
        "http://127.0.0.1:1/a?code=hunter2#hunter",
    ]

    /// Header fields with a secret.
    package static let fields: [(String, String)] = [
        ("Authorization", "Bearer hunter2"), ("Proxy-Authorization", "Basic hunter2"),
        ("Cookie", "a=1; sid=hunter2"), ("X-Api-Key", "hunter2"),
        ("X-Amz-Security-Token", "hunter2"),
        ("Referer", "http://u:hunter2@a.test/"), ("Referer", "http://a.test/?token=hunter2"),
        ("Origin", "http://u:hunter2@a.test"), ("Destination", "/a?access_token=hunter2"),
        ("Link", "<http://a.test/b>; rel=\"a\", <http://a.test/?sig=hunter2>; rel=\"b\""),
        ("Refresh", "0; url=http://u:hunter2@a.test/"), ("X-Original-URL", "/a?password=hunter2"),
    ]

    /// What must not stand in a line of a log.
    package static let breaks = [
        "\r\n", "\n", "\r", "\u{B}", "\u{C}", "\0", "\u{1B}[2J", "\u{7F}", "\u{85}", "\u{61C}",
        "\u{2028}",
        "\u{2029}", "\u{202E}", "\u{2066}", "\u{200F}",
    ]
}
