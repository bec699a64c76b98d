struct nothing {
	int here;
};
