import type { Plugin } from 'vite'

const helper = `
const sheets = new Map()
const load = (file) => {
  const href = '/' + file
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.crossOrigin = ''
  link.href = href
  document.head.append(link)
  return new Promise((resolve, reject) => {
    link.onload = resolve
    link.onerror = () => {
      link.remove()
      sheets.delete(file)
      reject(Error('Unable to preload ' + href))
    }
  })
}
export const __vitePreload = async (run, files = []) => {
  await Promise.all(files.map((file) => {
    if (!document.querySelector('link[rel=stylesheet][href="/' + file + '"]') || sheets.has(file))
      sheets.set(file, sheets.get(file) ?? load(file))
    return sheets.get(file)
  }))
  return run()
}
`

/**
 * Replaces Vite's wrapper around each dynamic import by the part that is used: it loads only style
 * sheets (vite.config.ts), and requests them again on a retry.
 */
export const preloadHelper = (): Plugin => ({
  name: 'grove:preload-helper',
  apply: 'build',
  enforce: 'pre',
  load: {
    filter: { id: /vite\/preload-helper/ },
    handler: () => ({ code: helper, moduleType: 'js' }),
  },
})
