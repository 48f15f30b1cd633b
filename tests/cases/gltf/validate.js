// What Khronos' gltf-validator says of models: a line for each, its name and the codes of its errors, each once, in
// the order of the alphabet. Run as `node validate.js FOLDER`; make validator does so.
const fs = require('fs');
const path = require('path');
const validator = require('gltf-validator');

const folder = process.argv[2];
const names = fs.readdirSync(folder).filter((name) => /\.(gltf|glb|vrm)$/.test(name)).sort();

// A file beside the model.
function read(uri) {
    return new Uint8Array(fs.readFileSync(path.join(folder, decodeURIComponent(uri))));
}

async function judge(name) {
    const options = {
        uri: name,
        maxIssues: 0,
        externalResourceFunction: (uri) => Promise.resolve().then(() => read(uri)),
    };
    const report = await validator.validateBytes(read(encodeURIComponent(name)), options);
    const errors = report.issues.messages.filter((issue) => issue.severity === 0);
    const codes = [...new Set(errors.map((issue) => issue.code))].sort();
    return [name, ...codes].join(' ');
}

(async () => {
    for (const name of names) {
        // What is no glTF at all is no report, but an exception.
        console.log(await judge(name).catch(() => name + ' NO_GLTF'));
    }
})();
