// Builds the page's script, its style and the licences of what is inside.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "src", "hilabel", "report", "page", "assets");

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { model: "src/model.ts", study: "src/study.ts" },
  outdir: target,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none", // they are whole in LICENSES.txt
  metafile: true,
});
await build({
  absWorkingDir: here,
  entryPoints: { page: "src/page.css" },
  outdir: target,
  bundle: true,
  minify: true,
  target: "es2022",
});

const bundled = new Set();
for (const path of Object.keys(metafile.inputs)) {
  const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
  if (name) bundled.add(name);
}
const parts = [];
for (const name of [...bundled].sort()) {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} comes without a licence`);
  const text = (await readFile(join(folder, file), "utf8")).trim();
  parts.push(`${name} ${version} (${license})\n\n${text}\n`);
}
const head = "model.js and study.js hold these packages, each under its own licence.\n\n";
const line = `\n${"-".repeat(72)}\n\n`;
await writeFile(join(target, "LICENSES.txt"), head + parts.join(line));

// What it was built from, so that a test can tell, without Node.js, whether that is old.
const sources = (await readdir(join(here, "src"))).sort().map((name) => `src/${name}`);
const digest = createHash("sha256");
for (const path of ["package-lock.json", ...sources]) {
  digest.update(path).update(await readFile(join(here, path)));
}
await writeFile(join(target, "built_from.txt"), `${digest.digest("hex")}\n`);
