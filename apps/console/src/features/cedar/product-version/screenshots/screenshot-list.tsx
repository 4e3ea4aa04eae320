import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { useLayoutEffect, useRef, useState } from 'react'
import { localeNames, type Locale } from '../../../../ui/i18n/locale.ts'
import { Lightbox } from './lightbox.tsx'
import { move } from './move.ts'
import styles from './screenshot-list.module.css'
import { ScreenshotTile } from './screenshot-tile.tsx'
import { useRemoval } from './use-removal.ts'
import { useScreenshotOrder } from './use-screenshot-order.ts'

interface ScreenshotListProps {
  version: ProductVersion
  locale: Locale
  images: ProductVersion['images']
}

/** Screenshots in order; a handle, the arrow keys or the arrow buttons reorder them. */
export function ScreenshotList({ version, locale, images }: ScreenshotListProps) {
  const { t } = useLingui()
  const saveOrder = useScreenshotOrder(version, locale)
  const { remove, isPending } = useRemoval(locale)
  const [dragged, setDragged] = useState<{ id: string; to: number }>()
  const [announcement, setAnnouncement] = useState('')
  const [open, setOpen] = useState<number>()
  const focused = useRef<HTMLElement>(null)

  const ids = images.map(({ id }) => id)
  // The DOM order stays until the drop: browsers end the drag of an element that is moved.
  const draggedFrom = dragged ? ids.indexOf(dragged.id) : -1
  const dropSide = (index: number) => {
    if (draggedFrom < 0 || index !== dragged?.to || index === draggedFrom) return undefined
    return index < draggedFrom ? 'before' : 'after'
  }

  const place = (from: number, to: number) => {
    if (to < 0 || to >= ids.length || from === to) return
    // Browsers blur an element that is moved in the document.
    focused.current = document.activeElement instanceof HTMLElement ? document.activeElement : null
    saveOrder(move(ids, from, to))
    const position = to + 1
    setAnnouncement(t`Screenshot moved to place ${position} of ${ids.length}.`)
  }
  const order = ids.join()
  const orderBefore = useRef(order)
  useLayoutEffect(() => {
    if (orderBefore.current === order) return
    orderBefore.current = order
    focused.current?.focus()
    focused.current = null
  })

  return (
    <>
      <ol className={styles.list}>
        {images.map((image, index) => (
          <ScreenshotTile
            key={image.id}
            image={image}
            index={index}
            count={images.length}
            isDragged={dragged?.id === image.id}
            dropSide={dropSide(index)}
            isRemoving={isPending}
            onOpen={() => setOpen(index)}
            onMove={(to) => place(index, to)}
            onRemove={() => void remove(image.id, index + 1)}
            drag={{
              start: () => setDragged({ id: image.id, to: index }),
              over: () => dragged && setDragged({ ...dragged, to: index }),
              drop: () => dragged && draggedFrom >= 0 && place(draggedFrom, dragged.to),
              end: () => setDragged(undefined),
            }}
          />
        ))}
      </ol>
      <output className="visually-hidden">{announcement}</output>
      {open !== undefined && (
        <Lightbox
          images={images}
          index={open}
          language={localeNames[locale]}
          onIndex={setOpen}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  )
}
