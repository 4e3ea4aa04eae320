import { useEffect, useRef, useState, type DragEvent } from 'react'

interface FileDrop {
  onFiles: (files: File[]) => void
  isDisabled?: boolean
}

const hasFiles = ({ dataTransfer }: Pick<DragEvent, 'dataTransfer'>) =>
  dataTransfer.types.includes('Files')

/** Makes an element accept dropped files. */
export function useFileDrop({ onFiles, isDisabled = false }: FileDrop) {
  const [isOver, setOver] = useState(false)
  // Entering a child fires a leave on its parent: the drag is over once there are as many leaves as
  // enters.
  const depth = useRef(0)
  useNoFileNavigation()

  const end = () => {
    depth.current = 0
    setOver(false)
  }
  return {
    isOver: isOver && !isDisabled,
    dropProps: {
      onDragEnter: (event: DragEvent) => {
        if (!hasFiles(event)) return
        depth.current += 1
        setOver(true)
      },
      onDragLeave: (event: DragEvent) => {
        if (!hasFiles(event)) return
        depth.current -= 1
        if (depth.current <= 0) end()
      },
      onDragOver: (event: DragEvent) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = isDisabled ? 'none' : 'copy'
      },
      onDrop: (event: DragEvent) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        end()
        if (!isDisabled) onFiles([...event.dataTransfer.files])
      },
    },
  }
}

/** A file dropped outside its target would replace the page, and everything typed on it. */
function useNoFileNavigation() {
  useEffect(() => {
    const refuse = (event: globalThis.DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'none'
    }
    addEventListener('dragover', refuse)
    addEventListener('drop', refuse)
    return () => {
      removeEventListener('dragover', refuse)
      removeEventListener('drop', refuse)
    }
  }, [])
}
