"""kiln_bake: a model baked into a kiln file, by an action that says all that it reads."""

KilnInfo = provider(
    doc = "A kiln for actions to run.",
    fields = {
        "kiln": "The command.",
        "version": "What kiln --version --json prints: an input of every action, so that another Assimp or zlib " +
                   "beneath the same command makes other actions of them.",
    },
)

def _kiln_tool(ctx):
    return [KilnInfo(kiln = ctx.file.kiln, version = ctx.file.version)]

kiln_tool = rule(
    implementation = _kiln_tool,
    attrs = {
        "kiln": attr.label(allow_single_file = True, mandatory = True),
        "version": attr.label(allow_single_file = True, mandatory = True),
    },
)

def _kiln_local(repository_ctx):
    kiln = repository_ctx.which("kiln")
    if not kiln:
        fail("kiln is not on the PATH")
    told = repository_ctx.execute([kiln, "--version", "--json"])
    if told.return_code != 0:
        fail("kiln --version: " + told.stderr)
    repository_ctx.symlink(kiln, "kiln")
    repository_ctx.file("version.json", told.stdout)
    repository_ctx.file("BUILD", """\
load("@{workspace}//kiln:kiln.bzl", "kiln_tool")

kiln_tool(
    name = "tool",
    kiln = "kiln",
    version = "version.json",
    visibility = ["//visibility:public"],
)
""".format(workspace = repository_ctx.attr.workspace))

kiln_local = repository_rule(
    implementation = _kiln_local,
    attrs = {"workspace": attr.string(
        doc = "The workspace that this file is in.",
        default = "assets",
    )},
    configure = True,
    environ = ["PATH"],
    local = True,
)

def _kiln_bake(ctx):
    tool = ctx.attr._kiln[KilnInfo]
    output = ctx.actions.declare_file(ctx.label.name + ".kiln")
    depfile = ctx.actions.declare_file(ctx.label.name + ".kiln.d")
    declared = ctx.actions.declare_file(ctx.label.name + ".declared")
    ctx.actions.write(declared, "".join(
        ["read %s\n" % file.path for file in ctx.files.src + ctx.files.side_files] +
        ["absent %s\n" % name for name in ctx.attr.absent],
    ))
    arguments = ctx.actions.args()
    arguments.add(tool.kiln)
    arguments.add(declared)
    arguments.add(depfile)
    arguments.add(output)
    arguments.add(ctx.file.src)
    arguments.add_all(ctx.attr.options)
    ctx.actions.run(
        executable = ctx.file._script,
        arguments = [arguments],
        inputs = [ctx.file.src, tool.version, declared] + ctx.files.side_files,
        tools = [tool.kiln],
        outputs = [output, depfile],
        env = {"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
        mnemonic = "KilnBake",
        progress_message = "Baking " + output.short_path,
    )
    return [
        DefaultInfo(files = depset([output]), runfiles = ctx.runfiles([output])),
        OutputGroupInfo(depfile = depset([depfile])),
    ]

kiln_bake = rule(
    doc = "Bakes src into NAME.kiln.",
    implementation = _kiln_bake,
    attrs = {
        "src": attr.label(
            doc = "The model.",
            allow_single_file = True,
            mandatory = True,
        ),
        "side_files": attr.label_list(
            doc = "All files that the model refers to: materials, buffers. Another that it refers to, whether it is " +
                  "there or not, fails the action.",
            allow_files = True,
        ),
        "absent": attr.string_list(
            doc = "Names, as the model has them, of files that it refers to and that are not there; it is baked " +
                  "without.",
        ),
        "options": attr.string_list(doc = "Options of kiln bake, such as --bv=obb,aabb."),
        "_kiln": attr.label(
            cfg = "exec",
            default = "@kiln//:tool",
            providers = [KilnInfo],
        ),
        "_script": attr.label(
            default = "//kiln:kiln_bake.sh",
            allow_single_file = True,
        ),
    },
)
