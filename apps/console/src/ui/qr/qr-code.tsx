import { encodeQR } from 'qr'

interface QrCodeProps {
  text: string
  label: string
  className?: string | undefined
}

/** A QR code, black on white in any colour scheme: scanners need that contrast. */
// oxlint-disable-next-line import/no-default-export -- required by `lazy`
export default function QrCode({ text, label, className }: QrCodeProps) {
  const address = encodeQR(text, 'data-url', { ecc: 'low', border: 4, scale: 6 })
  return <img src={address} alt={label} className={className} />
}
