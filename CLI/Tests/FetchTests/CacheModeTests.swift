import HTTPClient
import Testing
import fetch

@Suite struct CacheModeTests {
    @Test func `each mode of the Fetch standard has its name`() {
        let names = ["default", "no-store", "reload", "no-cache", "force-cache", "only-if-cached"]
        let modes = names.compactMap { CacheModeName(rawValue: $0)?.mode }
        #expect(modes == HTTPRequest.CacheMode.allCases)
    }

    @Test(arguments: ["", "noStore", "onlyIfCached", "No-Cache", "no-cache "])
    func `other names are rejected`(name: String) {
        #expect(CacheModeName(rawValue: name) == nil)
    }
}
