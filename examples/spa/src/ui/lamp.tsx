export function Lamp() {
  return (
    <svg className="lamp" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
      <path className="lamp-beam" d="M19.5 9.4 31 5v9zM12.5 9.4 1 5v9z" />
      <path className="lamp-light" d="M16 3.5 11.8 11h8.4z" />
      <path className="lamp-tower" d="M12.4 12.5h7.2L21.4 29H10.6z" />
      <path className="lamp-band" d="M11.7 18.5h8.6l.5 4.2h-9.6z" />
    </svg>
  );
}
