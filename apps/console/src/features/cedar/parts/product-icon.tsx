import { ImageIcon } from 'lucide-react'
import { imageAddress } from '../../../session/image-address.ts'
import styles from './product-icon.module.css'

interface ProductIconProps {
  url: string | null
  size: 24 | 64
}

/** A product's icon, or a placeholder. The title beside it names the product. */
export const ProductIcon = ({ url, size }: ProductIconProps) =>
  url ? (
    <img
      className={styles.icon}
      src={imageAddress(url)}
      alt=""
      width={size}
      height={size}
      loading="lazy"
    />
  ) : (
    <span className={styles.icon} style={{ width: size, height: size }}>
      <ImageIcon size={size / 2} aria-hidden />
    </span>
  )
