extension PublicSuffixList {
    /// The commonest public suffixes, for machines without ``systemPath``.
    ///
    /// It cannot stand for the whole list, which has ten thousand rules: where cookies of strangers meet,
    /// install the package `publicsuffix`, or ship a list with the program.
    public static let builtIn = PublicSuffixList(parsing: common)

    /// The names that it lists without wildcards and exceptions.
    package static var builtInNames: [String] {
        common.split(separator: "\n").map(String.init).filter {
            !$0.hasPrefix("*") && !$0.hasPrefix("!")
        }
    }

    /// By country, then by operator.
    private static let common = """
        ac.at\nco.at\ngv.at\nor.at
        asn.au\ncom.au\nedu.au\ngov.au\nid.au\nnet.au\norg.au
        com.ar\nedu.ar\ngob.ar\ngov.ar\nnet.ar\norg.ar
        *.bd
        com.br\nedu.br\ngov.br\nnet.br\norg.br
        *.ck\n!www.ck
        ac.cn\ncom.cn\nedu.cn\ngov.cn\nnet.cn\norg.cn
        com.co\nedu.co\ngov.co\nnet.co\norg.co
        com.eg\nedu.eg\ngov.eg\nnet.eg\norg.eg
        com.es\nedu.es\ngob.es\nnom.es\norg.es
        asso.fr\ncom.fr\ngouv.fr\nnom.fr
        com.gr\nedu.gr\ngov.gr\nnet.gr\norg.gr
        com.hk\nedu.hk\ngov.hk\nidv.hk\nnet.hk\norg.hk
        co.hu\norg.hu
        ac.id\nco.id\ngo.id\nor.id\nweb.id
        ac.il\nco.il\ngov.il\nk12.il\nnet.il\norg.il
        ac.in\nco.in\nedu.in\nfirm.in\ngen.in\ngov.in\nind.in\nnet.in\nnic.in\norg.in\nres.in
        edu.it\ngov.it
        ac.jp\nad.jp\nco.jp\ned.jp\ngo.jp\ngr.jp\nlg.jp\nne.jp\nor.jp
        ac.ke\nco.ke\ngo.ke\nne.ke\nor.ke
        *.kh
        ac.kr\nco.kr\ngo.kr\nne.kr\nor.kr\npe.kr\nre.kr
        *.mm
        com.mx\nedu.mx\ngob.mx\nnet.mx\norg.mx
        com.my\nedu.my\ngov.my\nnet.my\norg.my
        com.ng\nedu.ng\ngov.ng\nnet.ng\norg.ng
        *.np
        ac.nz\nco.nz\ngeek.nz\ngovt.nz\nmaori.nz\nnet.nz\norg.nz\nschool.nz
        com.pe\nedu.pe\ngob.pe\nnet.pe\norg.pe
        com.ph\nedu.ph\ngov.ph\nnet.ph\norg.ph
        com.pk\nedu.pk\ngov.pk\nnet.pk\norg.pk
        com.pl\nedu.pl\ngov.pl\nnet.pl\norg.pl
        com.pt\nedu.pt\ngov.pt\norg.pt
        com.ru\nmsk.ru\nspb.ru
        com.sa\nedu.sa\ngov.sa\nnet.sa\norg.sa
        com.sg\nedu.sg\ngov.sg\nnet.sg\norg.sg
        ac.th\nco.th\ngo.th\nin.th\nnet.th\nor.th
        com.tr\nedu.tr\ngov.tr\nnet.tr\norg.tr
        com.tw\nedu.tw\ngov.tw\nidv.tw\nnet.tw\norg.tw
        com.ua\nedu.ua\ngov.ua\nin.ua\nkiev.ua\nnet.ua\norg.ua
        ac.uk\nco.uk\ngov.uk\nltd.uk\nme.uk\nnet.uk\nnhs.uk\norg.uk\nplc.uk\npolice.uk\n*.sch.uk
        com.uy\nedu.uy\norg.uy
        com.ve\nco.ve\nnet.ve\norg.ve
        com.vn\nedu.vn\ngov.vn\nnet.vn\norg.vn
        ac.za\nco.za\ngov.za\nnet.za\norg.za\nweb.za
        *.compute.amazonaws.com\n*.elb.amazonaws.com\ns3.amazonaws.com\nelasticbeanstalk.com
        appspot.com\ncloudfunctions.net\nfirebaseapp.com\nrun.app\ntranslate.goog\nweb.app
        azurestaticapps.net\nazurewebsites.net\nblob.core.windows.net\ncloudapp.net
        blogspot.com\ncloudfront.net\ndeno.dev\nfly.dev\ngithub.io\ngitlab.io\nglitch.me
        herokuapp.com\nnetlify.app\nngrok-free.app\nngrok.io\nonrender.com\npages.dev
        readthedocs.io\nrepl.co\ntrycloudflare.com\nvercel.app\nworkers.dev
        """
}
