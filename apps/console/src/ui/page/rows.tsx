import type { ComponentPropsWithRef } from 'react'
import styles from './rows.module.css'

/** A list within a section: each line has a name at its start, and states and buttons at its end. */
export const Rows = (props: ComponentPropsWithRef<'ul'>) => (
  <ul className={styles.rows} {...props} />
)
