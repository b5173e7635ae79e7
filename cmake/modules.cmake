#         module     may include
ki_module(base)
ki_module(json       base)
ki_module(stats      base)
ki_module(signing    base json)
ki_module(manifest   base json)
ki_module(policy     base json manifest)
ki_module(db         base)
ki_module(catalog    base json db manifest policy)
ki_module(publish    base json signing manifest policy catalog)
ki_module(query      base json stats manifest policy catalog)
ki_module(embed      base)
ki_module(kernels)
ki_module(auth       base catalog db)
ki_module(import     base json manifest policy catalog publish)
ki_module(http       base json)
ki_module(api        base json db catalog publish query http auth)
ki_module(mcp        base json manifest query http api)
ki_module(web        base json policy query http auth api mcp)
ki_module(runner     base json stats signing manifest kernels)
ki_module(evidence   base json signing manifest policy db catalog publish kernels runner)
ki_module(cli        base json manifest policy db catalog publish query embed auth import http api mcp web stats signing kernels runner evidence)

# What a module carries inside the program.
ki_embed(ki_catalog catalog_schema ${PROJECT_SOURCE_DIR}/src/catalog/schema/0001_catalog.sql)
file(GLOB manifest_examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/manifest/examples/*.yaml)
ki_embed(ki_manifest manifest_examples ${manifest_examples})
file(GLOB registry CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/registry/*.json)
ki_embed(ki_import registry ${registry})
file(GLOB web_static CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/web/static/*)
ki_embed(ki_web web_static ${web_static})
file(GLOB documents CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/legal.md
  ${PROJECT_SOURCE_DIR}/docs/guide/*.md ${PROJECT_SOURCE_DIR}/docs/method/*.md
  ${PROJECT_SOURCE_DIR}/docs/formats/*.md)
ki_embed(ki_web documents ${documents})

# What a module links besides other modules. Everything else may not touch these libraries.
ki_links(base        OpenSSL::Crypto fmt::fmt)
ki_links(json        PkgConfig::simdjson PkgConfig::yaml double-conversion::double-conversion)
ki_links(auth        OpenSSL::Crypto)
ki_links(db          SQLite::SQLite3)
ki_links(import      Threads::Threads PkgConfig::zstd)
ki_links(http        Boost::headers Threads::Threads PkgConfig::zstd fmt::fmt)
ki_links(kernels     Threads::Threads PkgConfig::hwy ${CMAKE_DL_LIBS})
ki_links(signing     OpenSSL::Crypto)
ki_links(runner      PkgConfig::zstd fmt::fmt)
ki_links(web         fmt::fmt ${CMAKE_DL_LIBS})
ki_links(cli         PkgConfig::zstd)

# Cairo is opened when the first picture is drawn: a command that draws none does not load it.
target_include_directories(ki_web SYSTEM PRIVATE ${cairo_INCLUDE_DIRS})

set_tests_properties(unit.db unit.http PROPERTIES LABELS "unit;concurrent")
