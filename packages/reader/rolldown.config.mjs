// Bundles one file: packages of the repository are not published, so the program includes what it
// uses of them.
// oxlint-disable-next-line import/no-default-export -- rolldown reads it
export default {
  input: 'src/main.ts',
  platform: 'node',
  external: ['ws'],
  resolve: { conditionNames: ['source', 'node', 'import'] },
  output: { dir: 'dist', format: 'esm', codeSplitting: false, cleanDir: true },
}
