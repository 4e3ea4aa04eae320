import {
  flagsOf,
  partsOf,
  tlvName,
  type ImagePart,
  type McubootImage,
} from '@grove/contract/maple/connect/mcuboot.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useId, useState } from 'react'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import styles from './binary-image.module.css'
import { useMcubootWords } from './mcuboot.labels.ts'

const hexNumber = (value: number) => `0x${value.toString(16).padStart(8, '0')}`
const spaced = (hex: string) => hex.match(/../g)?.join(' ') ?? ''

/** What an image says about itself: its header in words, and the whole file in parts. */
export function ImageView({ image }: { image: McubootImage }) {
  const { t, i18n } = useLingui()
  const words = useMcubootWords()
  const flags = flagsOf(image.flags).map((flag) => words.flags[flag])
  const bytes = (value: number) => t`${i18n.number(value)} bytes`
  return (
    <>
      <Section title={t`Contents of the image`}>
        <PanelFacts
          facts={[
            [words.parts.version, image.version],
            [words.parts.loadAddress, <code key="load">{hexNumber(image.loadAddress)}</code>],
            [words.parts.headerSize, bytes(image.headerSize)],
            [words.parts.imageSize, bytes(image.imageSize)],
            [words.parts.protectedSize, bytes(image.protectedSize)],
            [words.parts.flags, flags.join(', ') || '–'],
            [
              t`Its own SHA-256`,
              <code key="hash" className={styles.long}>
                {image.hash}
              </code>,
            ],
          ]}
        />
      </Section>
      <Section title={t`Byte by byte`}>
        <ImageMap image={image} />
      </Section>
    </>
  )
}

/** What a part belongs to, which determines its colour. */
const groupOf = ({ name, isProtected }: ImagePart) => {
  if (name === 'program' || name === 'trailer') return name
  return isProtected === undefined ? 'header' : isProtected ? 'protected' : 'tags'
}

/**
 * The parts of the file. Hovering over one, selecting it with the arrow keys or touching it explains
 * it. Long parts are represented by their first bytes.
 */
function ImageMap({ image }: { image: McubootImage }) {
  const { t } = useLingui()
  const radios = useId()
  const [chosen, setChosen] = useState(0)
  const [pointed, setPointed] = useState<number>()
  const parts = partsOf(image)
  const nameOf = usePartName()
  const shown = parts.find(({ from }) => from === (pointed ?? chosen)) ?? parts[0]
  return (
    <div className={styles.map}>
      <div
        role="radiogroup"
        aria-label={t`The image, byte by byte`}
        className={styles.parts}
        onPointerLeave={() => setPointed(undefined)}
      >
        {parts.map((part) => (
          <label
            key={part.from}
            className={styles.part}
            data-group={groupOf(part)}
            data-shown={part === shown || undefined}
            onPointerEnter={({ pointerType }) => pointerType === 'mouse' && setPointed(part.from)}
          >
            <input
              type="radio"
              className="visually-hidden"
              name={radios}
              checked={part.from === chosen}
              onChange={() => {
                setPointed(undefined)
                setChosen(part.from)
              }}
            />
            <span className="visually-hidden">{nameOf(part)}</span>
            <code className={styles.hex}>{beginningOf(part, image)}</code>
            <span className={styles.offset} aria-hidden>
              {part.from}
            </span>
          </label>
        ))}
      </div>
      {shown && <Shown part={shown} image={image} name={nameOf(shown)} />}
    </div>
  )
}

const shownOnMap = 8

/** The first bytes of a part, if the description has them. */
function beginningOf(part: ImagePart, image: McubootImage): string {
  const hex = bytesOf(part, image)
  if (hex === undefined) return '· · ·'
  const size = part.to - part.from
  return spaced(hex.slice(0, shownOnMap * 2)) + (size > shownOnMap ? ' …' : '')
}

/** Undefined for the program and for padding: the server does not send them. */
function bytesOf({ tlv, name, from, to, isProtected }: ImagePart, image: McubootImage) {
  if (tlv) return uint16s(tlv.type, tlv.length) + tlv.hex
  if (name === 'tlvInfo')
    return isProtected ? uint16s(0x6908, image.protectedSize) : uint16s(0x6907, image.end - from)
  return to * 2 <= image.header.length ? image.header.slice(from * 2, to * 2) : undefined
}

/** Two numbers as an image stores them, little-endian. */
const uint16s = (...values: readonly number[]) =>
  values
    .flatMap((value) => [value & 0xff, value >> 8])
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

function usePartName() {
  const { t } = useLingui()
  const { parts, tags } = useMcubootWords()
  return ({ name, tlv, isProtected }: ImagePart): string => {
    if (name === 'tlvInfo')
      return isProtected ? t`Beginning of the protected tags` : t`Beginning of the tags`
    if (name !== 'tlv') return parts[name]
    const known = tlv && tlvName(tlv.type)
    return known ? tags[known] : t`Vendor tag ${`0x${tlv?.type.toString(16)}`}`
  }
}

function Shown({ part, image, name }: { part: ImagePart; image: McubootImage; name: string }) {
  const { t } = useLingui()
  const { from, to, tlv } = part
  const last = to - 1
  const hex = tlv ? tlv.hex : bytesOf(part, image)
  return (
    <output className={styles.shown} data-group={groupOf(part)}>
      <strong>{name}</strong>{' '}
      <span className={styles.range}>
        <Trans>
          bytes {from}–{last}
        </Trans>
      </span>
      {hex !== undefined && <code className={styles.value}>{spaced(hex)}</code>}
      <p className={styles.note}>
        {part.name === 'trailer'
          ? t`After the image: padding, or the bootloader’s notes. The hash does not cover it.`
          : part.isProtected === false
            ? t`Not covered by the hash and the signatures.`
            : t`Covered by the hash and the signatures.`}
      </p>
    </output>
  )
}
