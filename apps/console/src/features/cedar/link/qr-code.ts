import encode from 'qr'

export interface QrCode {
  /** The dark modules as one path, in an SVG whose unit is one module. */
  path: string
  /** Modules per side, including the quiet zone of four that ISO/IEC 18004 requires. */
  size: number
}

/** A code that stays readable with a quarter of it covered or damaged. */
export function qrCode(text: string): QrCode {
  const rows = encode(text, 'raw', { ecc: 'quartile', border: 4 })
  const path = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => {
      if (!isDark || row[x - 1]) return []
      const end = row.indexOf(false, x)
      const length = (end === -1 ? row.length : end) - x
      return [`M${x} ${y}h${length}v1h-${length}z`]
    }),
  )
  return { path: path.join(''), size: rows.length }
}

export const svgFile = ({ path, size }: QrCode): Blob =>
  new Blob(
    [
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="1024" height="1024"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`,
    ],
    { type: 'image/svg+xml' },
  )

/** About 1024 pixels per side, a whole number per module. */
export async function pngFile({ path, size }: QrCode): Promise<Blob> {
  const scale = Math.ceil(1024 / size)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = size * scale
  const context = canvas.getContext('2d')
  if (!context) throw new Error('The browser draws no pictures.')
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.scale(scale, scale)
  context.fillStyle = '#000'
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- a canvas is no array
  context.fill(new Path2D(path))
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No picture was made.'))))
  })
}
