import { imageAddress } from '../../session/image-address.ts'
import styles from './app-icon.module.css'

/** An app's icon; without one, the first letter of the title that stands beside it. */
export const AppIcon = ({ url, title }: { url: string | null; title: string }) =>
  url ? (
    <img className={styles.icon} src={imageAddress(url)} alt="" width={64} height={64} />
  ) : (
    <span className={styles.icon} aria-hidden>
      {firstLetter(title)}
    </span>
  )

function firstLetter(title: string): string | undefined {
  const [first] = new Intl.Segmenter().segment(title)
  return first?.segment
}
