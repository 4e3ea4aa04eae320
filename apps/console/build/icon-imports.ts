import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const createIcon = join(import.meta.dirname, '../src/ui/icon/create-icon.ts')

/** Keeps only an icon's drawing: its data also has keys of random letters, which do not compress. */
const drawingOnly = (code: string) =>
  code.replace(/name: "[^"]+",\s*size: 24,/, '').replaceAll(/, key: "\w+" \}/g, ' }')

/**
 * Imports each icon from its own file instead of from the index of all icons, so that the import
 * graph shows which page uses which icon. The component around the drawing is ours: a quarter of the
 * size.
 */
export function iconImports(): Plugin[] {
  const index = join(dirname(createRequire(import.meta.url).resolve('lucide-react')), '../esm')
  const files = fileByName(readFileSync(join(index, 'lucide-react.mjs'), 'utf8'))
  return [
    {
      name: 'grove:icon-imports',
      enforce: 'pre',
      resolveId: {
        filter: { id: /createLucideIcon\.mjs$/ },
        handler: () => createIcon,
      },
      transform: {
        filter: { id: /\/apps\/console\/src\/.*\.tsx?($|\?)/, code: 'lucide-react' },
        handler: (code) =>
          code.replaceAll(/import \{([^}]+)\} from 'lucide-react'/g, (whole, list: string) =>
            list
              .split(',')
              .map((each) => each.trim())
              .filter((each) => each !== '' && !each.startsWith('type '))
              .map((each) => {
                const [name = '', as = name] = each.split(' as ')
                const file = files.get(name)
                return file ? `import ${as} from '${join(index, file)}'` : whole
              })
              .join('\n'),
          ),
      },
    },
    {
      name: 'grove:icon-drawings',
      transform: {
        filter: { id: /\/lucide-react\/dist\/esm\/icons\// },
        handler: (code) => ({ code: drawingOnly(code), map: null }),
      },
    },
  ]
}

const fileByName = (index: string) =>
  new Map(
    [...index.matchAll(/export \{([^}]+)\} from '(\.\/icons\/[^']+)'/g)].flatMap(
      ([, names = '', file = '']) =>
        [...names.matchAll(/default as (\w+)/g)].map(([, name = '']) => [name, file] as const),
    ),
  )
