import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const source = join(import.meta.dirname, 'early.js')

/**
 * Puts `early.js` as a blocking script at the head of the page: it sets the chosen colour scheme
 * and language before the first paint. A file of its own, since the content security policy allows
 * no inline script; hashed, so that it is cached for good.
 */
export function earlyScript(): Plugin {
  let isBuild = false
  return {
    name: 'grove:early-script',
    configResolved(config) {
      isBuild = config.command === 'build'
    },
    async buildStart() {
      if (!isBuild) return
      this.emitFile({ type: 'asset', name: 'early.js', source: await minified(source) })
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const file = Object.values(bundle ?? {}).find(
          (output) => output.type === 'asset' && output.names.includes('early.js'),
        )
        const src = file ? `/${file.fileName}` : '/build/early.js'
        return [{ tag: 'script', attrs: { src }, injectTo: 'head-prepend' }]
      },
    },
  }
}

const minified = async (path: string) =>
  (await readFile(path, 'utf8'))
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/\n\s*/g, '\n')
    .trim()
