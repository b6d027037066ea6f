import Testing
import fetch

@Suite struct ProgressTests {
    private static let half = ProgressSnapshot(
        download: .init(transferred: 1 << 20, total: 2 << 20),
        elapsed: .seconds(4),
        speed: 1 << 18
    )

    private static func figures(
        _ base: ProgressSnapshot = half,
        _ change: (inout ProgressSnapshot) -> Void
    ) -> ProgressSnapshot {
        var figures = base
        change(&figures)
        return figures
    }

    private static let resumed = figures { $0.resumedOffset = 6 << 20 }
    private static let unknown = figures { $0.download.total = nil }
    private static let nothing = ProgressSnapshot(download: .init(total: 0), isFinished: true)
    private static let unasked = ProgressSnapshot()
    private static let stalled = figures { $0.speed = 0 }
    private static let surplus = figures { $0.download.transferred = 3 << 20 }
    private static let done = figures {
        $0.download.transferred = 2 << 20
        $0.isFinished = true
    }
    private static let upload = ProgressSnapshot(
        upload: .init(transferred: 1, total: 4),
        elapsed: .seconds(1),
        speed: 1
    )

    @Test(
        arguments: [
            (
                half, 79,
                " 50% [==================>                 ]  1024k/2048k  256k/s  0:00:04 left"
            ),
            (half, 55, " 50% [======>     ]  1024k/2048k  256k/s  0:00:04 left"),
            (half, 50, " 50%  1024k/2048k  256k/s  0:00:04 left"),
            (half, 30, " 50%  1024k/2048k  256k/s"),
            (half, 20, " 50%  1024k/2048k"),
            (half, 8, " 50%"), (half, 3, ""),
            (resumed, 60, " 87% [==============>  ]  7168k/8192k  256k/s  0:00:04 left"),
            (unknown, 60, "1024k  256k/s  0:00:04"), (unknown, 15, "1024k  256k/s"),
            (unknown, 4, ""),
            (nothing, 60, "100% [=================]  0  0/s  in 0:00:00"),
            (unasked, 60, "0  0/s  0:00:00"),
            (stalled, 60, " 50% [========>        ]  1024k/2048k  0/s"),
            (surplus, 60, "100% [=================]  3072k  256k/s  0:00:00 left"),
            (done, 60, "100% [=================]  2048k  512k/s  in 0:00:04"),
            (upload, 60, " 25% [====>            ]  1/4  1/s  0:00:03 left"),
        ] as [(ProgressSnapshot, Int, String)]
    )
    func `a bar shows the facts that fit in its width`(
        figures: ProgressSnapshot,
        width: Int,
        expected: String
    ) {
        #expect(ProgressBar.text(figures, width: width) == expected)
    }

    @Test(
        arguments: [
            (half, 27, "##########            50.0%"), (resumed, 27, "#################     87.5%"),
            (done, 27, "#################### 100.0%"),
            (nothing, 27, "#################### 100.0%"),
            (unknown, 27, "1024k  256k/s  0:00:04"), (half, 10, " 50%"),
        ] as [(ProgressSnapshot, Int, String)]
    )
    func `a bar of hashes shows the completed share`(
        figures: ProgressSnapshot,
        width: Int,
        expected: String
    ) {
        #expect(ProgressBar.hashes(figures, width: width) == expected)
    }

    @Test func `a progress line never exceeds its width`() {
        let all = [
            Self.half, Self.resumed, Self.unknown, Self.nothing, Self.unasked, Self.stalled,
            Self.surplus, Self.done, Self.upload,
            Self.figures { $0.download = .init(transferred: .max, total: .max) },
            Self.figures {
                $0.download = .init(transferred: 1, total: .max)
                $0.speed = 1
                $0.resumedOffset = .max
            },
        ]
        for figures in all {
            for width in 0...256 {
                #expect(ProgressBar.text(figures, width: width).utf8.count <= width)
                #expect(ProgressBar.hashes(figures, width: width).utf8.count <= width)
            }
        }
    }

    @Test(
        arguments: [
            (
                half,
                " 50 2048k   50 1024k    0     0   256k      0  0:00:08  0:00:04  0:00:04  256k"
            ),
            (
                resumed,
                " 50 2048k   50 1024k    0     0   256k      0  0:00:08  0:00:04  0:00:04  256k"
            ),
            (
                unknown,
                "100 1024k    0 1024k    0     0   256k      0 --:--:--  0:00:04 --:--:--  256k"
            ),
            (
                nothing,
                "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0"
            ),
            (
                unasked,
                "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0"
            ),
            (
                done,
                "100 2048k  100 2048k    0     0   512k      0  0:00:04  0:00:04 --:--:--  256k"
            ),
            (
                upload,
                " 25     4    0     0   25     1      0      1  0:00:04  0:00:01  0:00:03     1"
            ),
        ] as [(ProgressSnapshot, String)]
    )
    func `a progress meter has the columns of curl`(figures: ProgressSnapshot, expected: String) {
        #expect(ProgressMeter.text(figures) == expected)
    }

    @Test(
        arguments: [
            (0, "0"), (99_999, "99999"), (100_000, "97k"), (10 << 20, "10.0M"),
            (12_900_000, "12.3M"), (100 << 20, "100M"), (9_999 << 20, "9999M"),
            (10_000 << 20, "9.7G"), (1 << 40, "1024G"), (1 << 50, "1024T"), (.max, "8191P"),
        ] as [(Int, String)]
    )
    func `sizes take at most five columns`(bytes: Int, expected: String) {
        #expect(ProgressText.bytes(bytes) == expected)
    }

    @Test(
        arguments: [
            (0, "0:00:00"), (59, "0:00:59"), (3_661, "1:01:01"), (359_999, "99:59:59"),
            (360_000, "4d 04h"), (86_400_000, "1000d"), (.max, "--:--:--"),
        ] as [(Int, String)]
    )
    func `times take at most eight columns`(seconds: Int, expected: String) {
        #expect(ProgressText.time(seconds) == expected)
    }

    @Test func `a download of the greatest possible length is drawn`() {
        let figures = ProgressSnapshot(
            download: .init(transferred: 5, total: .max),
            upload: .init(transferred: 7, total: .max),
            resumedOffset: 100,
            elapsed: .seconds(1)
        )
        #expect(ProgressBar.text(figures, width: 79).hasPrefix("  0% ["))
        #expect(ProgressBar.text(figures, width: 79).contains("105/8191P"))
        #expect(ProgressBar.hashes(figures, width: 20) == "                0.0%")
        #expect(ProgressMeter.text(figures).hasPrefix("  0 8191P    0     5    0     7"))
    }

    @Test func `a fraction is complete only at the end`() {
        let almost = Int.max - 1
        #expect(ProgressSnapshot.fraction(almost, of: .max, scale: 1000) == 999)
        #expect(ProgressSnapshot.fraction(0, of: 0, scale: 100) == 100)
        #expect(ProgressSnapshot.fraction(2, of: 1, scale: 100) == 100)
    }

    @Test(
        arguments: [
            (true, false, true, false, true, .bar), (true, false, true, false, false, .meter),
            (true, false, false, false, true, .meter), (true, false, false, false, false, .meter),
            (true, true, true, false, true, .hashes), (true, true, false, false, false, .hashes),
            (true, false, false, true, true, nil), (true, true, false, true, true, nil),
            (false, false, true, false, true, nil), (false, true, true, false, true, nil),
        ] as [(Bool, Bool, Bool, Bool, Bool, ProgressStyle?)]
    )
    func `the progress style depends on options and terminals`(
        isWanted: Bool,
        wantsHashes: Bool,
        bodyIsFile: Bool,
        bodyIsTerminal: Bool,
        errorsAreTerminal: Bool,
        expected: ProgressStyle?
    ) {
        let rule = ProgressStyle.Rule(isWanted: isWanted, wantsHashes: wantsHashes)
        let style = rule.style(
            bodyIsFile: bodyIsFile,
            bodyIsTerminal: bodyIsTerminal,
            errorsAreTerminal: errorsAreTerminal
        )
        #expect(style == expected)
    }
}
