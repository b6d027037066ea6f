print("built without --sanitize fuzzer")
