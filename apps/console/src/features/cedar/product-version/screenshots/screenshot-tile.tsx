import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { ArrowLeft, ArrowRight, GripVertical, X } from 'lucide-react'
import { useRef, type KeyboardEvent } from 'react'
import { imageAddress } from '../../../../session/image-address.ts'
import { iconName, tooltip } from '../../../../ui/kit/tooltip.ts'
import styles from './screenshot-list.module.css'

interface ScreenshotTileProps {
  image: ProductVersion['images'][number]
  index: number
  count: number
  isDragged: boolean
  /** Where the dragged one would go. */
  dropSide: 'before' | 'after' | undefined
  isRemoving: boolean
  onOpen: () => void
  onMove: (to: number) => void
  onRemove: () => void
  drag: { start: () => void; over: () => void; drop: () => void; end: () => void }
}

const steps: Partial<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }

/** A screenshot, which opens when pressed, with its handle and its buttons. */
export function ScreenshotTile(props: ScreenshotTileProps) {
  const { image, index, count, isDragged, isRemoving, onOpen, onMove, onRemove, drag } = props
  const { t } = useLingui()
  const tile = useRef<HTMLLIElement>(null)
  const position = index + 1

  const moveByArrow = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    onMove(index + step)
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- only where a drag ends; the buttons inside do the same
    <li
      ref={tile}
      data-dragged={isDragged || undefined}
      data-drop={props.dropSide}
      onDragEnter={drag.over}
      onDragOver={(event) => {
        // A file from outside has a different drop target.
        if (!event.dataTransfer.types.includes('Files')) event.preventDefault()
      }}
      onDrop={(event) => {
        if (event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        drag.drop()
      }}
    >
      <button
        type="button"
        className={styles.open}
        aria-label={t`Enlarge screenshot ${position}`}
        onClick={onOpen}
      >
        <img
          src={imageAddress(image.url)}
          alt={t`Screenshot ${position}`}
          width={image.width}
          height={image.height}
          loading="lazy"
          draggable={false}
        />
      </button>
      <div className={styles.tools}>
        <span
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- Firefox cannot drag buttons
          role="button"
          tabIndex={0}
          className={`button quiet icon small ${styles.handle}`}
          aria-label={t`Move screenshot ${position}`}
          {...tooltip(t`Drag it, or press the arrow keys`)}
          draggable
          onKeyDown={moveByArrow}
          onDragStart={({ dataTransfer }) => {
            dataTransfer.effectAllowed = 'move'
            dataTransfer.setData('text/plain', String(position))
            if (tile.current) dataTransfer.setDragImage(tile.current, 16, 16)
            drag.start()
          }}
          onDragEnd={drag.end}
        >
          <GripVertical size={14} aria-hidden />
        </span>
        <button
          type="button"
          className="button quiet icon small"
          aria-label={t`Move screenshot ${position} earlier`}
          {...tooltip(t`Move earlier`)}
          aria-disabled={index === 0}
          onClick={() => onMove(index - 1)}
        >
          <ArrowLeft size={14} aria-hidden />
        </button>
        <button
          type="button"
          className="button quiet icon small"
          aria-label={t`Move screenshot ${position} later`}
          {...tooltip(t`Move later`)}
          aria-disabled={position === count}
          onClick={() => onMove(index + 1)}
        >
          <ArrowRight size={14} aria-hidden />
        </button>
        <button
          type="button"
          className="button quiet icon small"
          {...iconName(t`Remove screenshot ${position}`)}
          aria-disabled={isRemoving}
          onClick={onRemove}
        >
          <X size={14} aria-hidden />
        </button>
      </div>
    </li>
  )
}
