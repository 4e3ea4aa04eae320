import { Binary } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { DecodeDialog } from './decode-parts.tsx'

interface DecodeButtonProps {
  /** What the page offers for a CPLC. */
  actions?: (cplc: string) => ReactNode
  /** The page provides the label: the texts of the dialog load with it. */
  children: ReactNode
}

/** Opens the dialog that decodes bytes. */
export function DecodeButton({ actions, children }: DecodeButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className="button"
        onPointerEnter={DecodeDialog.prefetch}
        onFocus={DecodeDialog.prefetch}
        onClick={() => setOpen(true)}
      >
        <Binary size={16} aria-hidden />
        {children}
      </button>
      {isOpen && <DecodeDialog {...(actions && { actions })} onClose={() => setOpen(false)} />}
    </>
  )
}
