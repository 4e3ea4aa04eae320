import { fileURLToPath } from 'node:url'
import sharp, { type OverlayOptions } from 'sharp'
import { firstLetter } from './app-page.ts'
import { atMost } from '../../../../core/at-most.ts'

export interface PreviewFacts {
  title: string
  subtitle: string
  provider: string
  /** The app's icon, as stored. */
  icon: Buffer | null
}

const width = 1200
const height = 630
const side = 420
const iconSize = 300
const textLeft = side + 60
const textWidth = width - textLeft - 60
const accent = { r: 0x1d, g: 0x6b, b: 0x45 }

// Loaded from a file: a machine without fonts, like most containers, renders the same.
const font = (weight: '' | '-Bold') =>
  fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/DejaVuSans${weight}.ttf`))

/** The font's glyphs. Other scripts would render as boxes. */
const drawable =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Common}\p{Script=Inherited}]*$/u
const pictograph = /\p{Extended_Pictographic}(?<![\d#*©®™])/u

const isDrawable = (text: string) => drawable.test(text) && !pictograph.test(text)

const oneAtATime = atMost(1)

/**
 * Renders a link's preview image: the icon on its own colour, and next to it the texts. A title in a
 * script that the font lacks is omitted, and the icon takes its place.
 */
export const drawPreview = (facts: PreviewFacts): Promise<Buffer> =>
  oneAtATime(async () => {
    const hasTitle = isDrawable(facts.title)
    const panel = hasTitle ? side : width
    const { layer, colour } = await iconLayer(facts, panel)
    const texts = hasTitle ? await textLayers(facts) : []
    return sharp({ create: { width, height, channels: 3, background: '#ffffff' } })
      .composite([
        {
          input: { create: { width: panel, height, channels: 3, background: colour } },
          left: 0,
          top: 0,
        },
        ...layer,
        ...texts,
      ])
      .png({ palette: true })
      .toBuffer()
  })

async function iconLayer({ icon, title }: PreviewFacts, panel: number) {
  const left = Math.round((panel - iconSize) / 2)
  const top = (height - iconSize) / 2
  if (icon === null) {
    const letter = firstLetter(title)
    const layer = isDrawable(letter) && (await text(letter, 180, '#ffffff', '-Bold'))
    return { colour: accent, layer: layer ? [centred(layer, panel)] : [] }
  }
  const image = sharp(icon)
  const { dominant } = await image.stats()
  const mask = Buffer.from(
    `<svg width="${iconSize}" height="${iconSize}"><rect width="100%" height="100%" rx="64"/></svg>`,
  )
  const input = await image
    .resize(iconSize, iconSize)
    .ensureAlpha()
    .composite([{ input: mask, blend: 'dest-in' }])
    .png()
    .toBuffer()
  return { colour: lighter(dominant), layer: [{ input, left, top }] }
}

/** Halfway to white, so that a single-coloured icon stands out. */
const lighter = ({ r, g, b }: { r: number; g: number; b: number }) => ({
  r: Math.round((r + 255) / 2),
  g: Math.round((g + 255) / 2),
  b: Math.round((b + 255) / 2),
})

async function textLayers({ title, subtitle, provider }: PreviewFacts): Promise<OverlayOptions[]> {
  const parts = [
    await text(title, 60, '#16201b', '-Bold'),
    ...(isDrawable(provider) ? [await text(provider, 28, '#55625c', '')] : []),
    ...(subtitle && isDrawable(subtitle) ? [await text(subtitle, 32, '#16201b', '')] : []),
  ]
  const gap = 24
  const whole = parts.reduce((sum, part) => sum + part.height + gap, -gap)
  let top = Math.max(40, Math.round((height - whole) / 2))
  return parts.flatMap((part) => {
    const at = top
    top += part.height + gap
    return at + part.height <= height ? [{ input: part.input, left: textLeft, top: at }] : []
  })
}

const centred = ({ input, ...size }: Text, panel: number) => ({
  input,
  left: Math.round((panel - size.width) / 2),
  top: Math.round((height - size.height) / 2),
})

interface Text {
  input: Buffer
  width: number
  height: number
}

async function text(
  words: string,
  size: number,
  colour: string,
  weight: '' | '-Bold',
): Promise<Text> {
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const { data, info } = await sharp({
    text: {
      text: `<span foreground="${colour}">${escaped}</span>`,
      font: `DejaVu Sans ${weight === '' ? '' : 'Bold '}${size}`,
      fontfile: font(weight),
      width: textWidth,
      // A word longer than a line is broken.
      wrap: 'word-char',
      rgba: true,
      dpi: 72,
    },
  })
    .png()
    .toBuffer({ resolveWithObject: true })
  return { input: data, width: info.width, height: info.height }
}
