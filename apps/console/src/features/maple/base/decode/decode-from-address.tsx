import { useLocation, useNavigate } from '@tanstack/react-router'
import { bytesOf } from './decode-address.ts'
import { DecodeDialog } from './decode-parts.tsx'

/**
 * Opens the dialog on any page whose URL ends in `#decode` or `#decode=80CA…`. Bytes can contain
 * keys, and the hash is never sent to a server.
 */
export function DecodeFromAddress() {
  const text = useLocation({ select: ({ hash }) => bytesOf(hash) })
  const navigate = useNavigate()
  if (text === undefined) return null
  return (
    <DecodeDialog
      key={text}
      text={text}
      onClose={() => void navigate({ to: '.', search: true, hash: '', replace: true })}
    />
  )
}
