/// Links the members of a table, so that one can be taken out of the middle of a list at no cost.
///
/// Several lists may run through one table; a member is in one of them at most.
struct IdleLinks {
    /// The ends of a list; -1 stands for none.
    struct List {
        fileprivate(set) var oldest = -1
        fileprivate(set) var newest = -1

        var isEmpty: Bool { newest < 0 }
    }

    private struct Neighbours {
        var older = -1
        var newer = -1
    }

    private var table: [Neighbours] = []

    /// Adds a member as the newest.
    mutating func append(_ member: Int, to list: inout List) {
        while table.count <= member { table.append(Neighbours()) }
        table[member] = Neighbours(older: list.newest)
        if list.newest < 0 {
            list.oldest = member
        } else {
            table[list.newest].newer = member
        }
        list.newest = member
    }

    /// Takes a member out, which must be in the list.
    mutating func remove(_ member: Int, from list: inout List) {
        let around = table[member]
        if around.older < 0 {
            list.oldest = around.newer
        } else {
            table[around.older].newer = around.newer
        }
        if around.newer < 0 {
            list.newest = around.older
        } else {
            table[around.newer].older = around.older
        }
    }

    /// The next one after a member, from oldest to newest; -1 at the end.
    func newer(than member: Int) -> Int { table[member].newer }
}
