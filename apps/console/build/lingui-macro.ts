import babel from '@rolldown/plugin-babel'
import { join } from 'node:path'

/** Compiles the macros that mark texts; the query of a module ID names a part of a route file. */
export function linguiMacro() {
  // The macro would look for its configuration in the working directory, which may be the
  // repository's root.
  process.env['LINGUI_CONFIG'] = join(import.meta.dirname, '../lingui.config.ts')
  return babel({
    include: /\/apps\/console\/src\/.*\.tsx?($|\?)/,
    presets: [
      {
        preset: () => ({ plugins: ['@lingui/babel-plugin-lingui-macro'] }),
        rolldown: { filter: { code: /@lingui\/\w+\/macro/ } },
      },
    ],
  })
}
