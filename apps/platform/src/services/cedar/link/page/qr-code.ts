import encode from 'qr'

/**
 * The dark modules of a QR code as one SVG path with a module as the unit, including the quiet zone
 * of four modules (ISO/IEC 18004). A quarter of it may be covered or damaged.
 */
export function qrPath(text: string): { path: string; size: number } {
  const rows = encode(text, 'raw', { ecc: 'quartile', border: 4 })
  const path = rows.map((row, y) => {
    const runs = row.flatMap((isDark, x) => {
      if (!isDark || row[x - 1]) return []
      const end = row.indexOf(false, x)
      const length = (end === -1 ? row.length : end) - x
      return [`M${x} ${y}h${length}v1h-${length}z`]
    })
    return runs.join('')
  })
  return { path: path.join(''), size: rows.length }
}
