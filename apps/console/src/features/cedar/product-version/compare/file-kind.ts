/** How two versions of a file are compared visually. */
export type FileKind = 'text' | 'image' | 'other'

/** Files whose bytes are shown as an image; an SVG drawn that way runs no script. */
const imageTypes: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
}

const extensionOf = (path: string) => /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''

export const imageTypeOf = (path: string): string | undefined => {
  const extension = extensionOf(path)
  return Object.hasOwn(imageTypes, extension) ? imageTypes[extension] : undefined
}

/** A file of another kind may still be text; its first bytes tell. */
export const isBinary = (text: string) => text.slice(0, 8000).includes('\0')

/** Larger files are only offered for download. */
export const largestShown = 600_000
