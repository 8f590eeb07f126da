// A configuration that names no machines.

export default {};
