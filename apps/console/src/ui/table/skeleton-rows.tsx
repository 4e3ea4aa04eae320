// More than a screen holds: the rows below only keep the place of those to come.
const drawnRows = 20

/** Rows of the height that the loaded ones will have. */
export const SkeletonRows = ({ rows, columns }: { rows: number; columns: number }) =>
  Array.from({ length: rows }, (_, row) => (
    <tr key={row} aria-hidden>
      {row >= drawnRows ? (
        <td colSpan={columns}>&nbsp;</td>
      ) : (
        Array.from({ length: columns }, (_, column) => (
          <td key={column}>
            <span className="skeleton">&nbsp;</span>
          </td>
        ))
      )}
    </tr>
  ))
